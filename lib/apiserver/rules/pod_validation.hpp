#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// What is wrong with a pod's spec, of a pod or of a template.
void check_pod_spec(Causes& causes, const std::string& path, const json::Value& spec);
/// The containers of a pod's spec.
void check_containers(Causes& causes, const std::string& path, const json::Value& spec);
/// Checks the overhead of a pod's spec, and its resources as a whole.
void check_pod_resources(Causes& causes, const std::string& path, const json::Value& spec);
/// Checks the amounts that a pod, or a RuntimeClass for its pods, has as overhead.
void check_overhead(Causes& causes, const std::string& path, const json::Value* overhead);
/// The template of pods of a kind that makes them: labels, annotations and spec.
void check_pod_template(Causes& causes, const std::string& path, const json::Value& pod_template);
/// Changes of a pod that are not allowed.
void check_pod_update(Causes& causes, const json::Value& pod, const json::Value& old_pod);

}  // namespace sluice::apiserver
