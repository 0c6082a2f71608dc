// Decides if a workload may wait in a queue.
#pragma once

#include "api/kueue/workload.hpp"
#include "workload/pods/translation_settings.hpp"

namespace sluice::workload {

/// Returns true if another controller gates the workload's admission: annotation
/// `kueue.x-k8s.io/admission-gated-by`, which counts if the gate AdmissionGatedBy is on.
bool has_admission_gate(const api::Workload& workload, const TranslationGates& gates);

/// Returns true if pods of a job may run with the Workload's quota: an object owns the Workload, or
/// it was created for an object that is gone (label `kueue.x-k8s.io/job-uid`, which stays while
/// quota is reserved).
bool may_have_pods(const api::ObjectMeta& workload);

/// Returns true if the workload may wait in a queue: it is active, and is not finished, gated, on
/// hold or being deleted, and has no quota reserved.
bool is_queueable(const api::Workload& workload, const TranslationGates& gates);

/// Returns true if a single pod owns the workload. A group of one pod does not count: its pod may
/// be replaced.
bool is_owned_by_single_pod(const api::Workload& workload);

}  // namespace sluice::workload
