// Explains how the controller would treat one job.
#pragma once

#include "base/error.hpp"
#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::commands {

/// Explains, in several lines for a person, how `sluice controller` with that configuration treats
/// a job: its state, its pod sets and their requests, and the changes that start it. Errors:
/// Invalid if the configuration does not enable its kind, or if the job is invalid.
Result<std::string> explain_job(
    const json::Value& object,
    const config::Configuration& configuration,
    const config::FeatureGates& gates
);

}  // namespace sluice::commands
