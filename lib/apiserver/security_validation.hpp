#pragma once

#include "apiserver/field_checks.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// The security context of a container. `spec`: of its pod.
void check_container_security(
    Causes& causes, const std::string& path, const json::Value& container, const json::Value& spec
);

/// The security context of a pod, and what it shares with its node. `path`: of its spec.
void check_pod_security(Causes& causes, const std::string& path, const json::Value& spec);

}  // namespace sluice::apiserver
