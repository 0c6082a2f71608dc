// The settings and gates that a command of this build supports.
#pragma once

#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "config/problem.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::config {

/// A command that acts on a Configuration. `sluice schedule` accepts settings that matter only to a
/// running process, although they have no effect.
enum class Command : std::uint8_t { Controller, Schedule };

/// Paths of settings, such as `multiKueue`.
using Paths = std::vector<std::string>;

/// Returns a problem for each setting that differs from its default and that the command does not
/// support, in the order of the table of keys, and then for each such gate.
std::vector<Problem> unsupported_settings(
    const Configuration& configuration, const FeatureGates& gates, Command command
);

}  // namespace sluice::config
