#pragma once

#include "api/workload.hpp"
#include "workload/settings.hpp"

namespace sluice::workload {

/// Whether other controllers must let the workload pass first: annotation
/// `kueue.x-k8s.io/admission-gated-by`, which counts while the gate AdmissionGatedBy is on.
bool has_admission_gate(const api::Workload& workload, const TranslationGates& gates);

/// Whether the workload may wait in a queue (spec 3.1).
bool is_queueable(const api::Workload& workload, const TranslationGates& gates);

}  // namespace sluice::workload
