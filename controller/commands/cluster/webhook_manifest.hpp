// Manifests of examples/deploy that are compiled into the program.
#pragma once

#include <string_view>

namespace sluice::commands {

/// Returns the webhook configurations of examples/deploy, in YAML.
std::string_view webhook_manifest();

/// Returns the policy on tenants' writes of examples/deploy, in YAML.
std::string_view policy_manifest();

/// Returns the controller's service account and its rights in examples/deploy, including those for
/// each kind of jobs, in YAML.
std::string_view rights_manifests();

}  // namespace sluice::commands
