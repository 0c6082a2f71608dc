#pragma once

#include "base/error.hpp"
#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::commands {

/// What `sluice controller` with that configuration makes of a job: whether it is held, its pod
/// sets and what their pods request, how it stands, and what a start writes into it. A text of
/// several lines for a person. Errors: Invalid when its kind is none that the configuration turns
/// on, or when it cannot be read.
Result<std::string> explain_job(
    const json::Value& object,
    const config::Configuration& configuration,
    const config::FeatureGates& gates
);

}  // namespace sluice::commands
