#pragma once

#include "config/configuration.hpp"
#include "config/feature_gates.hpp"

#include <set>
#include <string>
#include <vector>

namespace sluice::config {

/// What a command of this build acts upon. A setting outside that has no effect, so a file that has
/// one is refused instead of being half obeyed.
struct Honoured {
    std::set<std::string> settings;  ///< paths; one covers all below it
    std::set<Feature> features;      ///< whose gates may be set either way
    std::set<Feature> absent;        ///< not built: their gates may be off, not switched on
};

/// What `sluice controller` acts upon.
Honoured honoured_by_controller();
/// What `sluice schedule` acts upon; settings of a running process cannot matter to it and pass.
Honoured honoured_by_schedule();

/// The settings that differ from their defaults and that are not honoured, as paths in the order of
/// the file's documentation; a gate as `featureGates.PartialAdmission`. A waitForPodsReady that
/// only its default turns on is not among them.
std::vector<std::string> unsupported_settings(
    const Configuration& configuration, const FeatureGates& gates, const Honoured& honoured
);

}  // namespace sluice::config
