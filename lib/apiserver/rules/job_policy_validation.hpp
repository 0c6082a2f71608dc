#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// What is wrong with a Job's podFailurePolicy and successPolicy. `path`: that of the Job's spec.
void check_job_policies(Causes& causes, const std::string& path, const json::Value& spec);

}  // namespace sluice::apiserver
