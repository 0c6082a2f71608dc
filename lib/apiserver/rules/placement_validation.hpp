// Validation of the affinities and topology spread constraints of a pod.
#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// Checks the affinities and topology spread constraints of a pod. `path`: the path of the pod's
/// spec.
void check_placement(Causes& causes, const std::string& path, const json::Value& spec);

}  // namespace sluice::apiserver
