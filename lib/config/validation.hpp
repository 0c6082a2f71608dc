// Checks a Configuration.
#pragma once

#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "config/framework.hpp"

#include <optional>
#include <span>
#include <vector>

namespace sluice::config {

/// Returns the faults of a Configuration; empty if it is valid. `frameworks`: all frameworks that
/// it may list, in the order in which messages list them. Sluice omits two checks of Kueue: CEL
/// expressions of device sources must be set but are not compiled, and names of TLS cipher suites
/// and curves are not looked up.
std::vector<Problem> validate(
    const Configuration& configuration,
    const FeatureGates& gates,
    std::span<const Framework> frameworks
);

/// Returns the settings of waitForPodsReady that apply; nullopt if it is off, also by gate
/// DisableWaitForPodsReady.
std::optional<WaitForPodsReady> effective_wait_for_pods_ready(
    const Configuration& configuration, const FeatureGates& gates
);

}  // namespace sluice::config
