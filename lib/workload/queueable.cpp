#include "workload/queueable.hpp"

#include "api/conditions.hpp"

#include <string_view>

namespace sluice::workload {
namespace {

constexpr std::string_view kGatedBy = "kueue.x-k8s.io/admission-gated-by";

}  // namespace

bool has_admission_gate(const api::Workload& workload, const TranslationGates& gates) {
    const auto* gated_by = workload.metadata.find_annotation(kGatedBy);
    return gates.admission_gated_by && gated_by != nullptr && !gated_by->empty();
}

bool is_queueable(const api::Workload& workload, const TranslationGates& gates) {
    const auto& conditions = workload.status.conditions;
    const auto* reserved = api::find_condition(conditions, "QuotaReserved");
    const bool is_on_hold =
        reserved != nullptr && reserved->status == "False" && reserved->reason == "OnHold";
    return !has_admission_gate(workload, gates) && !api::is_true(conditions, "Finished") &&
           workload.spec.active.value_or(true) && !api::is_true(conditions, "QuotaReserved") &&
           !is_on_hold && !api::is_true(conditions, "WaitingForReplacementPods");
}

}  // namespace sluice::workload
