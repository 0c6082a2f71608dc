// Validation of a Job's podFailurePolicy and successPolicy.
#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// Checks a Job's podFailurePolicy and successPolicy. `path`: the path of the Job's spec.
void check_job_policies(Causes& causes, const std::string& path, const json::Value& spec);

}  // namespace sluice::apiserver
