#pragma once

#include "config/problem.hpp"
#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// Whether a document is a ConfigMap, as one that describes kinds of jobs at run time is.
bool is_config_map(const json::Value& document);

/// What the controller would do with the descriptions of a ConfigMap.
struct JobKindsReport {
    std::vector<config::Problem> errors;    ///< descriptions that it would refuse
    std::vector<config::Problem> warnings;  ///< it would read none of them
    json::Array descriptions;               ///< those in force, as integrations.jobKinds has them
};

/// Checks a ConfigMap by itself: kinds that a configuration or another ConfigMap describes are not
/// known.
JobKindsReport check_job_kinds(const json::Value& config_map);

}  // namespace sluice::commands
