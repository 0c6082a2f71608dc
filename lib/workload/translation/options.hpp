#pragma once

#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "engine/types/options.hpp"
#include "workload/pods/translation_settings.hpp"

namespace sluice::workload {

/// What the translation takes from the configuration. Requires: both are valid
/// (config/validation.hpp).
TranslationSettings make_translation_settings(
    const config::Configuration& configuration, const config::FeatureGates& gates
);

/// What the engine takes from it.
engine::Options make_engine_options(
    const config::Configuration& configuration, const config::FeatureGates& gates
);

}  // namespace sluice::workload
