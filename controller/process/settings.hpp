#pragma once

#include "base/error.hpp"
#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "controller/reconcile/settings.hpp"
#include "engine/types/options.hpp"
#include "metrics/custom_labels.hpp"

#include <cstdint>
#include <vector>

/// From the Configuration to what each part of the controller takes of it.
namespace sluice::controller {

/// What the reconcilers take. Errors: Invalid for a selector that cannot be read.
Result<Settings> make_settings(
    const config::Configuration& configuration, const config::FeatureGates& gates
);

/// The labels that metrics.customLabels adds to metrics.
std::vector<metrics::CustomLabel> make_custom_labels(const std::vector<config::CustomLabel>& labels
);

/// What the engine takes: as offline, but waiting workloads that an event may help are gathered for
/// a tenth of a second before they queue again, and hashes have a seed against
/// names that were chosen to collide.
engine::Options make_engine_options(
    const config::Configuration& configuration,
    const config::FeatureGates& gates,
    std::uint64_t hash_seed
);

}  // namespace sluice::controller
