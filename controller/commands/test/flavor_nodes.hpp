// Nodes for `sluice test` that fit the ResourceFlavors of its files.
#pragma once

#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// Returns Nodes on which every pod of the objects' ClusterQueues fits: one Node per
/// ResourceFlavor, with its labels and taints, and one Node without any. Each has more than enough
/// of every resource that a ClusterQueue covers. Labels and taints that a Node cannot have are left
/// out: the API server rejects the flavor that names them.
std::vector<json::Value> make_flavor_nodes(const std::vector<json::Value>& objects);

}  // namespace sluice::commands
