#pragma once

#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// Descriptions of Nodes (sim::make_nodes) on which every pod of the objects' ClusterQueues fits:
/// for each ResourceFlavor one with its labels and taints, and one without any. They have more
/// than enough of each resource that a ClusterQueue covers.
std::vector<std::string> describe_flavor_nodes(const std::vector<json::Value>& objects);

}  // namespace sluice::commands
