#include "controller/reconcilers/rejected_pods.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/sluice_names.hpp"
#include "api/meta/micro_time.hpp"
#include "base/earlier.hpp"
#include "controller/reconcile/pod_rows.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace sluice::controller {

namespace {

constexpr std::size_t kNodesMax = 16;

/// Returns when the pod got its node. A pod of a group may be older than its admission.
Time scheduled_at(const api::Pod& pod) {
    const auto& conditions = pod.status.conditions;
    const auto scheduled =
        std::ranges::find(conditions, "PodScheduled", &api::ObjectCondition::type_);
    const Time begun =
        pod.status.start_time.value_or(pod.metadata.creation_timestamp.value_or(Time{}));
    return scheduled != conditions.end() && scheduled->status == "True"
               ? scheduled->last_transition_time.value_or(begun)
               : begun;
}

void remember(RejectingNodes& found, const std::string& node, Time at) {
    const auto known = std::ranges::find(found.nodes, node, &workload::RejectingNode::name);
    if (known == found.nodes.end()) {
        found.nodes.push_back({.name = node, .at = at});
        found.has_changed = true;
    } else if (known->at < at) {
        known->at = at;
        found.has_changed = true;
    }
}

/// Takes the pods that were rejected since the last admission.
void take_pods(RejectingNodes& found, const Stores& stores, const api::Workload& workload) {
    const auto* admitted = find_condition(workload, api::condition::kAdmitted);
    if (stores.find(kind_of<api::Pod>()) == nullptr || admitted == nullptr ||
        !is_admitted(workload)) {
        return;
    }
    const Time since = admitted->last_transition_time.value_or(Time{});
    const std::string row = workload.metadata.namespace_ + "/" + slice_name(workload);
    for (const auto& [name, pod] : stores.of<api::Pod>().by_index(kSliceIndex, row)) {
        const Time at = scheduled_at(*pod);
        if (!is_rejected(*pod) || pod->spec.node_name.empty() || at < since) {
            continue;
        }
        remember(found, pod->spec.node_name, at);
        if (found.message.empty()) {
            found.message = fmt::format(
                "Node {} rejected pod {}: {}",
                pod->spec.node_name,
                pod->metadata.name,
                pod->status.reason
            );
        }
    }
}

}  // namespace

bool is_rejected(const api::Pod& pod) {
    return pod.status.phase == "Failed" && (pod.status.reason == "TopologyAffinityError" ||
                                            pod.status.reason == "UnexpectedAdmissionError");
}

RejectingNodes find_rejecting_nodes(const Stores& stores, const api::Workload& workload, Time now) {
    RejectingNodes found;
    found.nodes = workload::rejecting_nodes(workload.metadata);
    take_pods(found, stores, workload);
    if (found.message.empty()) {
        const auto forgotten = std::erase_if(found.nodes, [now](const auto& node) {
            return node.at + kRejectionKept <= now;
        });
        found.has_changed = forgotten > 0;
    }
    if (found.nodes.size() > kNodesMax) {
        std::ranges::stable_sort(found.nodes, std::greater<>(), &workload::RejectingNode::at);
        found.nodes.resize(kNodesMax);
    }
    for (const auto& node : found.nodes) {
        found.next_forgotten = earlier(found.next_forgotten, node.at + kRejectionKept);
    }
    return found;
}

json::Value rejecting_nodes_patch(const RejectingNodes& rejecting) {
    std::string list;
    for (const auto& [name, at] : rejecting.nodes) {
        list += fmt::format("{}{}={}", list.empty() ? "" : ",", name, api::to_string(at));
    }
    const json::Value text = list.empty() ? json::Value() : json::Value(list);
    const json::Object annotations{{api::annotation::kRejectedBy, text}};
    return json::Object{{"metadata", json::Object{{"annotations", annotations}}}};
}

}  // namespace sluice::controller
