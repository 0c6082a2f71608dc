// Validation of pods and of pod templates.
#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// Checks the spec of a pod or of a pod template.
void check_pod_spec(Causes& causes, const std::string& path, const json::Value& spec);
/// Checks the containers of a pod's spec.
void check_containers(Causes& causes, const std::string& path, const json::Value& spec);
/// Checks the overhead of a pod's spec, and its resources as a whole.
void check_pod_resources(Causes& causes, const std::string& path, const json::Value& spec);
/// Checks the amounts of a pod's overhead, or of a RuntimeClass' overhead for its pods.
void check_overhead(Causes& causes, const std::string& path, const json::Value* overhead);
/// Checks the pod template of a kind that creates pods: labels, annotations and spec.
void check_pod_template(Causes& causes, const std::string& path, const json::Value& pod_template);
/// Refuses changes of immutable fields of a pod.
void check_pod_update(Causes& causes, const json::Value& pod, const json::Value& old_pod);

}  // namespace sluice::apiserver
