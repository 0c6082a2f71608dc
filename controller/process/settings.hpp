#pragma once

#include "base/error.hpp"
#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "controller/reconcilers/settings.hpp"
#include "engine/options.hpp"

/// From the Configuration to what each part of the controller takes of it.
namespace sluice::controller {

/// What the reconcilers take. Errors: Invalid for a selector that cannot be read.
Result<Settings> make_settings(
    const config::Configuration& configuration, const config::FeatureGates& gates
);

/// What the translation of objects takes.
workload::Settings make_translation_settings(
    const config::Configuration& configuration, const config::FeatureGates& gates
);

/// What the engine takes.
engine::Options make_engine_options(
    const config::Configuration& configuration, const config::FeatureGates& gates
);

}  // namespace sluice::controller
