#pragma once

#include "api/kueue/workload.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::controller {

/// Labels that say which pod of a pod set, and which of its groups, a pod is.
struct RankLabels {
    std::string pod_index;        ///< "": pods have no rank
    std::string sub_group_index;  ///< "": there are no groups
    std::optional<std::int32_t> sub_group_count;
};

/// What the annotations may ask for.
struct TopologyLimits {
    bool has_layers = false;  ///< slices within slices count (gate TASMultiLayerTopology)
};

/// What the annotations of a pod template ask of the topology (KEP-2724); none where they ask
/// nothing and pods have no rank. Errors: Invalid naming an annotation that cannot be read.
Result<std::optional<api::PodSetTopologyRequest>> make_topology_request(
    const api::ObjectMeta& pod_template, const RankLabels& labels, TopologyLimits limits = {}
);

}  // namespace sluice::controller
