#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::sim {

/// What tells one simulated Node from another.
struct NodeParts {
    json::Value room = json::Object{{"pods", "110"}};  ///< amounts by resource
    /// Beside its hostname and architecture (amd64), unless they say them, and its system.
    json::Value labels = json::Object();
    json::Array taints{};
    std::set<std::string> said{};  ///< resources that a description has named
};

/// A Node of that name, which is ready.
json::Value make_node(const std::string& name, NodeParts parts);

/// What becomes of a Node that a user made, once a kubelet runs there: its labels and its status.
/// Nothing where the Node does not say how much CPU it has, or has conditions, which somebody keeps
/// up.
std::optional<json::Value> join_node(const json::Value& node);

/// The Nodes of a description such as
///
///     a100: 4x cpu=96,memory=1Ti,nvidia.com/gpu=8,label:gpu=a100,taint:gpu=yes:NoSchedule
///
/// Several labels or taints may be together: `labels=a=b;c=d`,
/// `taints=gpu=yes:NoSchedule;k=:NoExecute`. The name, how many of them (`4x `, else one), and
/// after that amounts, labels and taints. They are named `a100-1` to `a100-4`, have room for 110
/// pods where nothing else is said, and are ready. Errors: Invalid, saying which part cannot be
/// read.
Result<std::vector<json::Value>> make_nodes(std::string_view description);

}  // namespace sluice::sim
