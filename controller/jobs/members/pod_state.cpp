#include "controller/jobs/members/pod_state.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "api/meta/micro_time.hpp"
#include "controller/jobs/job/stored_template.hpp"
#include "controller/jobs/job/topology_request.hpp"
#include "controller/jobs/members/role_hash.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "validation/job_rules.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::string_view kFieldManager = "kueue";

/// Returns true if the start of a pod opens the gate. A pod with a topology waits for its domain.
bool opens_at_start(const api::PodSchedulingGate& gate, const PodSetInfo& injected) {
    return gate.name == api::scheduling_gate::kAdmission ||
           (gate.name == api::scheduling_gate::kTopology && !injected.has_topology_gate);
}

bool has_condition(const api::Pod& pod, std::string_view type) {
    return std::ranges::any_of(pod.status.conditions, [type](const api::ObjectCondition& each) {
        return each.type_ == type && each.status == api::condition_status::kTrue;
    });
}

json::Value spec_of(const api::Pod& pod) {
    auto spec = json::parse(pod.raw_spec.view());
    return spec ? std::move(*spec) : api::to_value(pod.spec);
}

/// Returns a write that adds a condition to the pod with the reason why it will be deleted.
Write mark_target(const api::Pod& pod, const StopCause& cause, Time now) {
    const Time since = std::chrono::floor<std::chrono::seconds>(now);
    const json::Value condition = json::Object{
        {"type", api::condition::kTerminationTarget},
        {"status", api::condition_status::kTrue},
        {"lastTransitionTime", api::to_value(since)},
        {"reason", cause.reason},
        {"message", cause.message},
    };
    return apply_pod_status(
        pod, json::Object{{"conditions", json::Array{condition}}}, kFieldManager
    );
}

}  // namespace

bool is_held_or_over(const api::Pod& pod) {
    return is_gated(pod) || has_ended(pod);
}

bool is_useful(const api::Pod& pod) {
    const bool never_ran = pod.metadata.deletion_timestamp && pod.spec.node_name.empty();
    return !never_ran && pod.status.phase != "Failed";
}

bool is_deleted_and_over(const api::Pod& pod) {
    return pod.metadata.deletion_timestamp && (!is_useful(pod) || has_ended(pod));
}

bool is_ready(const api::Pod& pod) {
    return has_condition(pod, "Ready");
}

bool is_marked_managed(const api::ObjectMeta& pod) {
    const std::string* mark = pod.find_label(api::label::kManaged);
    return mark != nullptr && *mark == "true";
}

bool has_suspending_parent(const api::ObjectMeta& pod) {
    return pod.find_annotation(api::annotation::kPodSuspendingParent) != nullptr;
}

bool is_unmanaged_pod(const api::ObjectMeta& pod, const Settings& settings) {
    return !is_marked_managed(pod) ||
           (settings.manages_held_pods_alone && !has_suspending_parent(pod));
}

std::string_view pod_group_of(const api::ObjectMeta& pod, bool by_annotation) {
    const std::string* annotation = pod.find_annotation(api::annotation::kPodGroupName);
    if (by_annotation && annotation != nullptr && !annotation->empty()) {
        return *annotation;
    }
    const std::string* label = pod.find_label(api::label::kPodGroupName);
    return label == nullptr ? std::string_view() : std::string_view(*label);
}

std::string_view workload_name_of_group(
    const api::ObjectMeta& pod, std::string_view group, bool by_annotation
) {
    const std::string_view prebuilt = validation::prebuilt_workload_name(pod, by_annotation);
    return prebuilt.empty() ? group : prebuilt;
}

std::string role_of(const api::Pod& pod) {
    const std::string* hash = pod.metadata.find_annotation(api::annotation::kRoleHash);
    return hash != nullptr ? *hash : role_hash(spec_of(pod));
}

Result<api::PodSet> make_pod_set(
    const api::Pod& pod, std::string name, std::int32_t count, const Settings& settings
) {
    api::PodTemplateSpec live;
    live.raw = api::RawJson(json::print(json::Object{{"spec", spec_of(pod)}}));
    auto pod_template = stored_template(live, {});
    if (!pod_template) {
        return pod_template.error();
    }
    api::PodSet pod_set;
    pod_set.name = std::move(name);
    pod_set.count = count;
    pod_set.template_ = std::move(*pod_template);
    if (settings.gates.topology_aware_scheduling) {
        auto request = make_topology_request(
            pod.metadata,
            {.pod_index = api::label::kPodGroupPodIndex,
             .sub_group_index = {},
             .sub_group_count = std::nullopt},
            settings
        );
        if (!request) {
            return request.error();
        }
        pod_set.topology_request = std::move(*request);
    }
    return pod_set;
}

Result<Write> start_pod(const api::Pod& pod, const PodSetInfo& injected) {
    api::PodTemplateSpec live;
    live.metadata = pod.metadata;
    live.spec = pod.spec;
    auto patch = injection_patch(live, injected);
    if (!patch) {
        return patch.error();
    }
    // A pod that exists cannot get a gate: the webhook gave it the topology gate.
    json::Array left;
    for (const api::PodSchedulingGate& gate : pod.spec.scheduling_gates) {
        if (!opens_at_start(gate, injected)) {
            left.push_back(json::Object{{"name", gate.name}});
        }
    }
    patch->find("spec")->set(
        "schedulingGates", left.empty() ? json::Value() : json::Value(std::move(left))
    );
    return strict_patch(key_of(pod), pod.metadata, std::move(*patch));
}

Write apply_pod_status(const api::Pod& pod, json::Value status, std::string_view field_manager) {
    return {
        .verb = Verb::ApplyStatus,
        .object = key_of(pod),
        .body =
            json::Object{
                {"apiVersion", "v1"},
                {"kind", "Pod"},
                {"metadata",
                 json::Object{
                     {"name", pod.metadata.name},
                     {"namespace", pod.metadata.namespace_},
                     {"uid", pod.metadata.uid},
                 }},
                {"status", std::move(status)},
            },
        .field_manager = std::string(field_manager),
    };
}

std::optional<Write> end_pod(const api::Pod& pod, const StopCause& cause, Time now) {
    if (pod.metadata.deletion_timestamp) {
        return std::nullopt;
    }
    if (!has_condition(pod, api::condition::kTerminationTarget)) {
        return mark_target(pod, cause, now);
    }
    return Write{
        .verb = Verb::Delete,
        .object = key_of(pod),
        .body = {},
        .uid = pod.metadata.uid,
    };
}

std::optional<Time> spared_until(const api::Pod& pod, Time now) {
    constexpr Duration kSpared = std::chrono::seconds(5);
    const auto& created = pod.metadata.creation_timestamp;
    const bool may_be_remade = created && pod.metadata.controller_owner() != nullptr &&
                               !has_condition(pod, api::condition::kTerminationTarget);
    return may_be_remade && now < *created + kSpared ? std::optional(*created + kSpared)
                                                     : std::nullopt;
}

std::optional<Write> release_pod(const api::Pod& pod) {
    if (!pod.metadata.has_finalizer(api::finalizer::kManaged)) {
        return std::nullopt;
    }
    json::Array left;
    for (const std::string& finalizer : pod.metadata.finalizers) {
        if (finalizer != api::finalizer::kManaged) {
            left.emplace_back(finalizer);
        }
    }
    return strict_patch(
        key_of(pod),
        pod.metadata,
        json::Object{
            {"metadata",
             json::Object{
                 {"finalizers", left.empty() ? json::Value() : json::Value(std::move(left))},
             }},
        }
    );
}

ObjectKey key_of(const api::Pod& pod) {
    return {kind_of<api::Pod>(), pod.metadata.namespace_, pod.metadata.name};
}

}  // namespace sluice::controller
