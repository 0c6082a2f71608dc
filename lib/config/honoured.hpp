// The settings and gates that a command of this build supports.
#pragma once

#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "config/problem.hpp"

#include <set>
#include <string>
#include <vector>

namespace sluice::config {

/// The settings that a command of this build supports. A file with any other setting is rejected,
/// because the setting would have no effect.
struct Honoured {
    std::set<std::string> settings;  ///< paths; a path includes everything below it
};

/// Returns the settings that `sluice controller` supports.
Honoured honoured_by_controller();
/// Returns the settings that `sluice schedule` supports. Settings that matter only to a running
/// process are included, although they have no effect.
Honoured honoured_by_schedule();

/// Returns a problem for each setting that differs from its default and is not supported, in the
/// order of the file's documentation, and then for each such gate. A waitForPodsReady that only its
/// default turns on is not included.
std::vector<Problem> unsupported_settings(
    const Configuration& configuration, const FeatureGates& gates, const Honoured& honoured
);

}  // namespace sluice::config
