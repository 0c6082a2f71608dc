// Reads a topology request from the annotations of a pod template.
#pragma once

#include "api/kueue/workload.hpp"
#include "base/error.hpp"
#include "controller/reconcile/settings.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::controller {

/// The labels with the index of a pod in its pod set, and of its group in the pod set.
struct RankLabels {
    std::string pod_index;        ///< "" if pods have no rank
    std::string sub_group_index;  ///< "" without groups
    std::optional<std::int32_t> sub_group_count;
};

/// Returns the topology request of a pod template's annotations (KEP-2724); nullopt if they request
/// nothing and pods have no rank. Slices within slices are read with the gate
/// TASMultiLayerTopology. Errors: Invalid with the name of an annotation that cannot be read.
Result<std::optional<api::PodSetTopologyRequest>> make_topology_request(
    const api::ObjectMeta& pod_template, const RankLabels& labels, const Settings& settings
);

}  // namespace sluice::controller
