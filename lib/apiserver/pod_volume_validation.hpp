#pragma once

#include "apiserver/field_checks.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// The volumes of a pod: their names, and where their content comes from.
void check_pod_volumes(Causes& causes, const std::string& path, const json::Value* volumes);

}  // namespace sluice::apiserver
