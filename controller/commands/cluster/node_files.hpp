// Reads the values of `--nodes`: descriptions of simulated nodes, or files of Nodes.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// Returns the simulated Nodes of `--nodes`, in order. A value is a description for
/// sim::make_nodes(), or a file of Nodes, for example the output of `kubectl get nodes -o yaml`.
/// From a file it takes names, labels, taints, `unschedulable` and allocatable resources. Errors:
/// Invalid, with the place in the file.
Result<std::vector<json::Value>> read_nodes(const std::vector<std::string>& given);

}  // namespace sluice::commands
