#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// What is wrong with where a pod asks to be: its affinities and how it spreads. `path`: that of
/// the pod's spec.
void check_placement(Causes& causes, const std::string& path, const json::Value& spec);

}  // namespace sluice::apiserver
