// Checks and evaluates the node selectors of node affinity.
#pragma once

#include "api/core/pod.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::api {

/// Returns true if a node with these labels satisfies the selector: at least one term holds
/// completely. A term holds for no node if it is empty or has an invalid expression. `matchFields`
/// supports only `metadata.name`.
bool matches(
    const NodeSelector& selector, const StringMap& labels, std::string_view node_name = {}
);

/// Returns true if an expression holds for the labels: In, NotIn, Exists, DoesNotExist, or Gt and
/// Lt for integers. An invalid expression holds for no labels.
bool matches(const NodeSelectorRequirement& requirement, const StringMap& labels);

/// Returns the faults of an expression in the words of Kubernetes, each with the path of the
/// expression in front. Empty if the expression is valid.
std::vector<std::string> find_problems(
    const NodeSelectorRequirement& requirement, std::string_view path
);

}  // namespace sluice::api
