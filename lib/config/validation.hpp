// Checks a Configuration; knows the names of the integrations.
#pragma once

#include "config/configuration.hpp"
#include "config/feature_gates.hpp"

#include <string>
#include <vector>

namespace sluice::config {

/// A job kind that Kueue integrates, under the name that `integrations.frameworks` uses.
struct Framework {
    std::string_view name;
    std::string_view kind;  ///< Kind.version.group, or Kind.version for the core group
};

/// Returns all names that `integrations.frameworks` may contain, sorted by name.
std::vector<Framework> known_frameworks();

/// Returns the faults of a Configuration; empty if it is valid. Sluice omits two checks of Kueue:
/// CEL expressions of device sources must be set but are not compiled, and names of TLS cipher
/// suites and curves are not looked up.
std::vector<Problem> validate(const Configuration& configuration, const FeatureGates& gates);

/// Returns the settings of waitForPodsReady that apply; nullopt if it is off, also by gate
/// DisableWaitForPodsReady.
std::optional<WaitForPodsReady> effective_wait_for_pods_ready(
    const Configuration& configuration, const FeatureGates& gates
);

}  // namespace sluice::config
