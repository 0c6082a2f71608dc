#pragma once

#include "api/kueue/workload.hpp"
#include "workload/pods/translation_settings.hpp"

namespace sluice::workload {

/// Whether other controllers must let the workload pass first: annotation
/// `kueue.x-k8s.io/admission-gated-by`, which counts while the gate AdmissionGatedBy is on.
bool has_admission_gate(const api::Workload& workload, const TranslationGates& gates);

/// Returns true if pods of a job may run on the Workload: an object owns it, or one did for which
/// it was made (label `kueue.x-k8s.io/job-uid`, which stays while quota is reserved).
bool may_have_pods(const api::ObjectMeta& workload);

/// Returns true if the workload may wait in a queue: it is active, not finished, not gated, not on
/// hold, not being deleted and holds no quota.
bool is_queueable(const api::Workload& workload, const TranslationGates& gates);

}  // namespace sluice::workload
