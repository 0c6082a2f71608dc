#include "controller/reconcilers/rejected_pods.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/sluice_names.hpp"
#include "controller/reconcile/pod_rows.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "workload/pods/pod_shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

namespace sluice::controller {

namespace {

/// Older nodes may have room again.
constexpr std::size_t kNodesMax = 16;

}  // namespace

bool is_rejected(const api::Pod& pod) {
    return pod.status.phase == "Failed" && (pod.status.reason == "TopologyAffinityError" ||
                                            pod.status.reason == "UnexpectedAdmissionError");
}

std::optional<RejectedPods> find_rejected_pods(
    const Stores& stores, const api::Workload& workload
) {
    const auto* known = stores.find(kind_of<api::Pod>());
    const auto* admitted = find_condition(workload, api::condition::kAdmitted);
    if (known == nullptr || admitted == nullptr || !is_admitted(workload)) {
        return std::nullopt;
    }
    RejectedPods found;
    found.nodes = workload::rejecting_nodes(workload.metadata);
    const std::string row = workload.metadata.namespace_ + "/" + slice_name(workload);
    for (const auto& [name, pod] : stores.of<api::Pod>().by_index(kSliceIndex, row)) {
        const bool is_new =
            !admitted->last_transition_time ||
            pod->metadata.creation_timestamp.value_or(Time{}) >= *admitted->last_transition_time;
        if (!is_rejected(*pod) || !is_new) {
            continue;
        }
        const std::string& node = pod->spec.node_name;
        if (!node.empty() && std::ranges::find(found.nodes, node) == found.nodes.end()) {
            found.nodes.push_back(node);
            found.has_new_node = true;
        }
        if (found.message.empty()) {
            found.message = fmt::format(
                "Node {} rejected pod {}: {}", node, pod->metadata.name, pod->status.reason
            );
        }
    }
    if (found.message.empty()) {
        return std::nullopt;
    }
    if (found.nodes.size() > kNodesMax) {
        found.nodes.erase(
            found.nodes.begin(), found.nodes.end() - static_cast<std::ptrdiff_t>(kNodesMax)
        );
    }
    return found;
}

json::Value rejecting_nodes_patch(const RejectedPods& rejected) {
    const std::string nodes = fmt::format("{}", fmt::join(rejected.nodes, ","));
    const json::Object annotations{{api::annotation::kRejectedBy, nodes}};
    return json::Object{{"metadata", json::Object{{"annotations", annotations}}}};
}

}  // namespace sluice::controller
