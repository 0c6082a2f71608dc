#pragma once

#include "api/core/pod.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::api {

/// Whether a node with these labels satisfies the selector: one of its terms must hold entirely. A
/// term without expressions and fields holds for no node, nor does one with an invalid expression.
/// `matchFields` knows `metadata.name` alone.
bool matches(
    const NodeSelector& selector, const StringMap& labels, std::string_view node_name = {}
);

/// Whether one expression holds for the labels: In, NotIn, Exists, DoesNotExist, Gt, Lt (integers).
bool matches(const NodeSelectorRequirement& requirement, const StringMap& labels);

/// What is wrong with an expression, each as Kubernetes says it, with the path of the expression
/// before it; empty: nothing.
std::vector<std::string> find_problems(
    const NodeSelectorRequirement& requirement, std::string_view path
);

}  // namespace sluice::api
