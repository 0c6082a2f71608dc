#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// The simulated Nodes of `--nodes`, in order: each says them itself (sim::make_nodes()) or names a
/// file of Nodes, such as `kubectl get nodes -o yaml` writes; of these the names, labels, taints
/// and what they have for pods are taken. Errors: Invalid, with the place in the file.
Result<std::vector<json::Value>> read_nodes(const std::vector<std::string>& given);

}  // namespace sluice::commands
