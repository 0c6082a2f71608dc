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

/// Which admission policies a write is held against, and with which params.
namespace sluice::apiserver {

/// What expressions see of a write that is told as one of that version.
using ContextSource = std::function<Result<AdmissionContext>(const ResourceType& version)>;

/// A policy and one of its bindings.
struct BoundPair {
    Snapshot policy;
    Snapshot binding;
    ResourceTable::TypePointer version{};  ///< as which the policy is told of the object
};

/// The policies whose constraints, and those of their binding, the write meets; by the names of the
/// bindings. `context`: in the version of the request.
std::vector<BoundPair> find_bound_policies(
    const State& state,
    const Collection& policies,
    const Collection& bindings,
    const RuledRequest& request,
    const AdmissionContext& context
);

/// The objects by which a binding sets a policy's params; one that is null where there are none.
/// Errors: Invalid, why it cannot be said.
Result<std::vector<json::Value>> find_params(
    const State& state,
    const json::Value& policy_spec,
    const json::Value& binding_spec,
    std::string_view ns
);

}  // namespace sluice::apiserver
