#pragma once

#include "controller/reconcile/stores.hpp"
#include "engine/state/state.hpp"

#include <string>
#include <vector>

namespace sluice::controller {

/// Something that cannot be read as the API server has it, and that may hold, own or lend quota
/// which the engine therefore does not count.
struct UnaccountedQuota {
    engine::NodeIndex node;  ///< a ClusterQueue or Cohort of the tree that it concerns
    std::string message;     ///< names the object and what is wrong with it

    bool operator==(const UnaccountedQuota&) const = default;
};

/// What of the stores the engine cannot account for: Workloads that may hold quota, and
/// ClusterQueues and Cohorts of which no version was ever read. Where an object does not even say
/// which tree it concerns, each ClusterQueue is named. In the order of kinds and names. Cost: in
/// proportion to what cannot be read.
std::vector<UnaccountedQuota> find_unaccounted_quota(
    const Stores& stores, const engine::State& state
);

}  // namespace sluice::controller
