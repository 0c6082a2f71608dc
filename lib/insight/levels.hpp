// The quota and usage of a ClusterQueue and the Cohorts above it, for one flavor and resource.
#pragma once

#include "api/insight/explanation.hpp"
#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"

#include <vector>

namespace sluice::insight {

/// Returns the levels from the ClusterQueue to its root, with the one that binds marked. Requires:
/// the state is fresh.
std::vector<api::ExplainedLevel> find_levels(
    const engine::State& state, engine::NodeIndex cluster_queue, engine::FlavorResourceIndex pair
);

}  // namespace sluice::insight
