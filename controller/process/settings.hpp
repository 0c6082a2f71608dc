// Converts the Configuration into the settings of the controller's parts.
#pragma once

#include "base/error.hpp"
#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "controller/reconcile/settings.hpp"
#include "engine/types/options.hpp"
#include "metrics/custom_labels.hpp"

#include <cstdint>
#include <vector>

namespace sluice::controller {

/// Returns the settings of the reconcilers. Errors: Invalid for an invalid selector.
Result<Settings> make_settings(
    const config::Configuration& configuration, const config::FeatureGates& gates
);

/// Returns the labels that metrics.customLabels adds to metrics.
std::vector<metrics::CustomLabel> make_custom_labels(const std::vector<config::CustomLabel>& labels
);

/// Returns the options of the engine: those of `sluice schedule`, but waiting workloads that an
/// event may help are gathered for a tenth of a second before they are queued again, and hashes get
/// a seed, so that users cannot choose colliding names.
engine::Options make_engine_options(
    const config::Configuration& configuration,
    const config::FeatureGates& gates,
    std::uint64_t hash_seed
);

}  // namespace sluice::controller
