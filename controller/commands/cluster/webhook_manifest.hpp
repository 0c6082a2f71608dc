#pragma once

#include <string_view>

namespace sluice::commands {

/// The webhook configurations of examples/deploy, YAML.
std::string_view webhook_manifest();

/// The policy on tenants' writes of examples/deploy, YAML.
std::string_view policy_manifest();

/// The controller's account and its rights in examples/deploy, those for each kind of jobs too,
/// YAML.
std::string_view rights_manifests();

}  // namespace sluice::commands
