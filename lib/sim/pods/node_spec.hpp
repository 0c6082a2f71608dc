// Makes nodes from descriptions such as `a100: 4x cpu=96,nvidia.com/gpu=8`.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::sim {

/// The properties in which simulated Nodes differ.
struct NodeParts {
    json::Value room = json::Object{{"pods", "110"}};  ///< amounts by resource
    /// Labels, in addition to hostname, architecture (amd64) and operating system. They may
    /// override hostname and architecture.
    json::Value labels = json::Object();
    json::Array taints{};
    std::set<std::string> said{};  ///< resources that the description names
};

/// Returns a ready Node with that name.
json::Value make_node(const std::string& name, NodeParts parts);

/// Returns a Node that a user created, with the labels and the status that a kubelet adds. Returns
/// nullopt if the Node does not specify its CPU, or if it has conditions, because then something
/// else maintains them.
std::optional<json::Value> join_node(const json::Value& node);

/// Returns the Nodes of a description such as
///
///     a100: 4x cpu=96,memory=1Ti,nvidia.com/gpu=8,label:gpu=a100,taint:gpu=yes:NoSchedule
///
/// A description has the name, the number of nodes (`4x `, default: one), and amounts, labels and
/// taints. Several labels or taints may be in one part: `labels=a=b;c=d`,
/// `taints=gpu=yes:NoSchedule;k=:NoExecute`. The nodes are named `a100-1` to `a100-4`, have room
/// for 110 pods by default, and are ready. Errors: Invalid with the part that cannot be read.
Result<std::vector<json::Value>> make_nodes(std::string_view description);

}  // namespace sluice::sim
