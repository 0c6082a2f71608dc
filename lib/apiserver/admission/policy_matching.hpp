// Finds the admission policies that apply to a write, and their params.
#pragma once

#include "apiserver/admission/admission_expressions.hpp"
#include "apiserver/admission/rule_matching.hpp"
#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <functional>
#include <string_view>
#include <vector>

/// Decides which admission policies apply to a write, and with which params.
namespace sluice::apiserver {

/// Returns the variables of expressions about a write, with the objects in that version.
using ContextSource = std::function<Result<AdmissionContext>(const ResourceType& version)>;

/// A policy together with one of its bindings.
struct BoundPair {
    Snapshot policy;
    Snapshot binding;
    ResourceTable::TypePointer version{};  ///< the version in which the policy sees the object
};

/// Returns the policies whose matchConstraints, and whose bindings' matchResources, match the
/// write, ordered by the names of the bindings. `context`: in the version of the request.
std::vector<BoundPair> find_bound_policies(
    const State& state,
    const Collection& policies,
    const Collection& bindings,
    const RuledRequest& request,
    const AdmissionContext& context
);

/// Returns the objects that a binding selects as params of a policy; one null value if the policy
/// has no params. Errors: Invalid if the params cannot be determined.
Result<std::vector<json::Value>> find_params(
    const State& state,
    const json::Value& policy_spec,
    const json::Value& binding_spec,
    std::string_view ns
);

}  // namespace sluice::apiserver
