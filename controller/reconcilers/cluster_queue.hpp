// Reconciles a ClusterQueue: its status and its finalizer.
#pragma once

#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"
#include "controller/reconcilers/quota_drift.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::controller {

/// Facts about a ClusterQueue that only the engine knows.
struct QueueAccount {
    std::optional<std::int64_t> weighted_share;  ///< nullopt without fair sharing
    bool has_holders = false;  ///< workloads hold quota, even if their admission is not written yet
    QuotaDrift drift;
};

/// Keeps the ClusterQueue's status up to date (Active, counters, usage by flavor, and
/// QuotaExceedsNodes once that has been true), and keeps its finalizer while workloads hold its
/// quota.
Outcome reconcile_cluster_queue(
    const View& view, std::string_view name, const QueueAccount& account, Time now
);

}  // namespace sluice::controller
