#pragma once

#include "controller/reconcilers/reconcile.hpp"
#include "controller/reconcilers/view.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::controller {

/// Keeps the ClusterQueue's finalizer and status: Active, counters, usage by flavor
/// (spec 1.3, 1.6). `weighted_share` is what the engine computed, when fair sharing is on.
Outcome reconcile_cluster_queue(
    const View& view, std::string_view name, std::optional<std::int64_t> weighted_share, Time now
);

}  // namespace sluice::controller
