// Settings of the engine and of the translation, made from a Configuration.
#pragma once

#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "engine/types/options.hpp"
#include "workload/pods/translation_settings.hpp"

namespace sluice::workload {

/// Returns the settings of the translation. Requires: both arguments are valid
/// (config/validation.hpp).
TranslationSettings make_translation_settings(
    const config::Configuration& configuration, const config::FeatureGates& gates
);

/// Returns the options of the engine. Requires: both arguments are valid.
engine::Options make_engine_options(
    const config::Configuration& configuration, const config::FeatureGates& gates
);

}  // namespace sluice::workload
