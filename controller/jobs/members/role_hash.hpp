#pragma once

#include "json/value.hpp"

#include <string>

namespace sluice::controller {

/// The role of a pod in its group, from its spec: pods whose admission asks for the same have the
/// same one. Eight digits, the same that Kueue finds, as groups outlive a change of controller.
/// Example: 4b0469f7
std::string role_hash(const json::Value& pod_spec);

}  // namespace sluice::controller
