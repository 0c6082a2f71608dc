#include "workload/translation/queueable.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"

namespace sluice::workload {

bool has_admission_gate(const api::Workload& workload, const TranslationGates& gates) {
    const auto* gated_by = workload.metadata.find_annotation(api::annotation::kAdmissionGatedBy);
    return gates.admission_gated_by && gated_by != nullptr && !gated_by->empty();
}

bool may_have_pods(const api::ObjectMeta& workload) {
    return !workload.owner_references.empty() ||
           workload.find_label(api::label::kJobUid) != nullptr;
}

bool is_queueable(const api::Workload& workload, const TranslationGates& gates) {
    const auto& conditions = workload.status.conditions;
    const auto* reserved = api::find_condition(conditions, api::condition::kQuotaReserved);
    const bool is_on_hold = reserved != nullptr &&
                            reserved->status == api::condition_status::kFalse &&
                            reserved->reason == api::reason::kOnHold;
    return !has_admission_gate(workload, gates) &&
           !api::is_true(conditions, api::condition::kFinished) &&
           workload.spec.active.value_or(true) && !workload.metadata.deletion_timestamp &&
           !api::is_true(conditions, api::condition::kQuotaReserved) && !is_on_hold &&
           !api::is_true(conditions, api::condition::kWaitingForReplacementPods);
}

bool is_owned_by_single_pod(const api::Workload& workload) {
    const auto& owners = workload.metadata.owner_references;
    const auto* is_group = workload.metadata.find_annotation(api::annotation::kIsGroupWorkload);
    return owners.size() == 1 && owners.front().kind == "Pod" &&
           owners.front().api_version == "v1" && (is_group == nullptr || *is_group != "true");
}

}  // namespace sluice::workload
