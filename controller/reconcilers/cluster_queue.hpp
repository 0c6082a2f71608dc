#pragma once

#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::controller {

/// What the engine says of a ClusterQueue.
struct QueueAccount {
    std::optional<std::int64_t> weighted_share;  ///< none without fair sharing
    bool has_holders = false;  ///< of quota, those included whose admission is on its way
};

/// Keeps the ClusterQueue's status (Active, counters, usage by flavor), and its finalizer while
/// workloads hold its quota.
Outcome reconcile_cluster_queue(
    const View& view, std::string_view name, const QueueAccount& account, Time now
);

}  // namespace sluice::controller
