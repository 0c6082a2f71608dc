// Quota, use and waits of ClusterQueues, from their objects.
#pragma once

#include "api/meta/quantity.hpp"
#include "base/clock.hpp"
#include "controller/commands/schedule/schedule_cluster.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::commands {

/// One resource of a ClusterQueue, over all flavors.
struct ResourceTotals {
    std::string resource;
    api::Quantity used;
    api::Quantity nominal;
    api::Quantity borrowed;
    /// The part of its unused quota that others of its tree of cohorts may be using: at most what
    /// they borrow, and what its lendingLimit lends.
    api::Quantity lent;
};

/// How long the workloads waited that got quota in the last 24 hours, from their creation.
struct Waits {
    std::size_t count = 0;
    Duration p50{};
    Duration p90{};
};

struct QueueTotals {
    std::string name;
    std::string cohort;
    bool active = true;
    std::int32_t pending = 0;
    std::vector<ResourceTotals> resources;
    std::optional<Waits> waits;  ///< nullopt if Workloads are not known
};

/// Returns the totals of each ClusterQueue, by name. `with_waits`: the Workloads are known.
std::vector<QueueTotals> find_totals(const ScheduleCluster& cluster, Time now, bool with_waits);

}  // namespace sluice::commands
