#pragma once

#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// Nodes on which every pod of the objects' ClusterQueues fits: for each ResourceFlavor one with
/// its labels and taints, and one without any. They have more than enough of each resource that a
/// ClusterQueue covers. What no Node can have, such as a label of odd form, is left out; the API
/// server refuses the object that names it.
std::vector<json::Value> make_flavor_nodes(const std::vector<json::Value>& objects);

}  // namespace sluice::commands
