#pragma once

#include "config/configuration.hpp"
#include "config/feature_gates.hpp"

#include <string>
#include <vector>

namespace sluice::config {

/// A kind of job that upstream integrates, by the name that `integrations.frameworks` uses.
struct Framework {
    std::string_view name;
    std::string_view kind;  ///< Kind.version.group; of core kinds Kind.version
};

/// All names that `integrations.frameworks` may hold, sorted by name.
std::vector<Framework> known_frameworks();

/// What is wrong with a Configuration; empty when nothing is. Two checks of
/// upstream are not made: CEL expressions of device sources must be there but are not compiled, and
/// names of TLS cipher suites and curves are not looked up.
std::vector<Problem> validate(const Configuration& configuration, const FeatureGates& gates);

/// The wait for pods that applies: absent when off, also by gate DisableWaitForPodsReady.
std::optional<WaitForPodsReady> effective_wait_for_pods_ready(
    const Configuration& configuration, const FeatureGates& gates
);

}  // namespace sluice::config
