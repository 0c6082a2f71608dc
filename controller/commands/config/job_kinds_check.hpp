// Checks a ConfigMap that describes kinds of jobs.
#pragma once

#include "config/problem.hpp"
#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// Returns true if a document is a ConfigMap: the controller reads descriptions of kinds of jobs
/// from ConfigMaps at run time.
bool is_config_map(const json::Value& document);

/// The result of reading the descriptions in a ConfigMap.
struct JobKindsReport {
    std::vector<config::Problem> errors;    ///< descriptions that the controller would reject
    std::vector<config::Problem> warnings;  ///< why it would not read the ConfigMap
    json::Array descriptions;  ///< valid descriptions, in the form of integrations.jobKinds
};

/// Checks a ConfigMap on its own, without the kinds that a configuration or other ConfigMaps
/// describe.
JobKindsReport check_job_kinds(const json::Value& config_map);

}  // namespace sluice::commands
