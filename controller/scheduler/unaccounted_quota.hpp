// Finds quota that the engine cannot count, because an object cannot be read.
#pragma once

#include "controller/reconcile/stores.hpp"
#include "controller/scheduler/node_name.hpp"
#include "engine/state/state.hpp"

#include <string>
#include <vector>

namespace sluice::controller {

/// An object that cannot be read in its present version, and that may hold, own or lend quota. The
/// engine does not count this quota.
struct UnaccountedQuota {
    NodeName node;        ///< a ClusterQueue or Cohort of the tree that the object concerns
    std::string message;  ///< names the object and the error

    bool operator==(const UnaccountedQuota&) const = default;
};

/// Returns the objects that the engine cannot account for: Workloads that may hold quota, and
/// ClusterQueues and Cohorts of which no version was ever read. If an object does not even say
/// which tree it concerns, each ClusterQueue is listed with it. The order is that of kinds and
/// names. Cost: proportional to the number of unreadable objects.
std::vector<UnaccountedQuota> find_unaccounted_quota(
    const Stores& stores, const engine::State& state
);

}  // namespace sluice::controller
