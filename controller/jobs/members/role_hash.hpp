// The hash of a pod's spec that identifies its role in a pod group.
#pragma once

#include "json/value.hpp"

#include <string>

namespace sluice::controller {

/// Returns the role of a pod in its group, computed from its spec: pods with equal requests and
/// scheduling constraints have the same role. It has eight digits and equals Kueue's hash, because
/// groups outlive a change of the controller. Example: 4b0469f7
std::string role_hash(const json::Value& pod_spec);

}  // namespace sluice::controller
