#include "controller/jobs/serving/membership.hpp"

#include "api/core/apps.hpp"
#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/jobs/members/serving_names.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "validation/go_numbers.hpp"

#include <utility>

namespace sluice::controller {

namespace {

constexpr std::size_t kLabelValueMax = 63;

json::Value missing_members(const api::StringMap& wanted, const api::StringMap& present) {
    json::Value missing = json::Object{};
    for (const auto& [key, value] : wanted) {
        const auto found = present.find(key);
        if (found == present.end() || found->second != value) {
            missing.set(key, value);
        }
    }
    return missing;
}

}  // namespace

std::optional<Write> record_membership(
    const api::Pod& pod,
    const GroupOwner& owner,
    const Membership& membership,
    const Settings& settings
) {
    if (has_ended(pod) || pod.metadata.deletion_timestamp) {
        return std::nullopt;
    }
    const bool by_annotation = settings.workload_identifier_annotations;
    api::StringMap labels{{api::label::kManaged, "true"}};
    for (const char* key : {api::label::kQueueName, api::label::kPriorityClass}) {
        const std::string_view value = find_value(owner.metadata.labels, key);
        if (!value.empty()) {
            labels[key] = value;
        }
    }
    api::StringMap annotations = membership.annotations;
    annotations[api::annotation::kPodGroupTotalCount] = std::to_string(membership.total);
    annotations[api::annotation::kRoleHash] = membership.role;
    (by_annotation ? annotations : labels)[api::annotation::kPodGroupName] = membership.workload;
    const bool is_labelled = !by_annotation && membership.workload.size() <= kLabelValueMax;
    (is_labelled ? labels : annotations)[api::annotation::kPrebuiltWorkload] = membership.workload;

    json::Value metadata = json::Object{};
    json::Value missing = missing_members(labels, pod.metadata.labels);
    if (!missing.as_object().empty()) {
        metadata.set("labels", std::move(missing));
    }
    missing = missing_members(annotations, pod.metadata.annotations);
    if (!missing.as_object().empty()) {
        metadata.set("annotations", std::move(missing));
    }
    if (metadata.as_object().empty()) {
        return std::nullopt;
    }
    return strict_patch(key_of(pod), pod.metadata, json::Object{{"metadata", std::move(metadata)}});
}

std::optional<Write> open_gates(const api::Pod& pod) {
    json::Array left;
    for (const api::PodSchedulingGate& gate : pod.spec.scheduling_gates) {
        if (gate.name != api::scheduling_gate::kAdmission &&
            gate.name != api::scheduling_gate::kTopology) {
            left.push_back(json::Object{{"name", gate.name}});
        }
    }
    if (left.size() == pod.spec.scheduling_gates.size()) {
        return std::nullopt;
    }
    return strict_patch(
        key_of(pod),
        pod.metadata,
        json::Object{
            {"spec",
             json::Object{
                 {"schedulingGates", left.empty() ? json::Value() : json::Value(std::move(left))},
             }},
        }
    );
}

bool will_be_replaced(const api::Pod& pod, const api::StatefulSet& set) {
    const api::OwnerReference* owner = pod.metadata.controller_owner();
    const auto& strategy = set.spec.update_strategy;
    const std::string_view name = pod.metadata.name;
    const auto ordinal = validation::parse_decimal<std::int32_t>(name.substr(name.rfind('-') + 1));
    const std::int32_t partition = strategy.rolling_update ? strategy.rolling_update->partition : 0;
    return owner != nullptr && owner->uid == set.metadata.uid && strategy.type_ != "OnDelete" &&
           ordinal.value_or(0) >= partition &&
           set.status.current_revision != set.status.update_revision &&
           find_value(pod.metadata.labels, kRevisionLabel) == set.status.current_revision;
}

std::optional<Write> replace_held(const api::Pod& pod) {
    if (!is_gated(pod) || pod.metadata.deletion_timestamp) {
        return std::nullopt;
    }
    return Write{
        .verb = Verb::Delete,
        .object = key_of(pod),
        .body = {},
        .uid = pod.metadata.uid,
    };
}

}  // namespace sluice::controller
