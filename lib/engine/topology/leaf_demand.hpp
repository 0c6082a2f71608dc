// The resources that pods take in the leaves of a topology.
#pragma once

#include "engine/names/pod_sets.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/topology_objects.hpp"

#include <span>
#include <vector>

namespace sluice::engine {

/// Equal pods in leaves of one flavor.
struct LeafDemand {
    FlavorIndex flavor;
    /// The requests of one pod, with 1 for `pods`; sorted by the name of the resource.
    std::vector<Request> pod;
    std::vector<LeafPods> leaves;
    friend bool operator==(const LeafDemand&, const LeafDemand&) = default;
};

using LeafDemands = std::span<const LeafDemand>;

/// Returns the pods of both in the order of the leaves' paths, each leaf once.
std::vector<LeafPods> sum_by_leaf(
    const std::vector<LeafPods>& some, const std::vector<LeafPods>& others
);

}  // namespace sluice::engine
