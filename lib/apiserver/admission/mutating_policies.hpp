#pragma once

#include "apiserver/admission/policy_matching.hpp"
#include "apiserver/objects/cause.hpp"
#include "apiserver/state/state.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <optional>
#include <vector>

namespace sluice::apiserver {

/// What the MutatingAdmissionPolicies that are bound to a write make of its object, in the version
/// of the request; nothing: they leave it as it is. The params of the contexts are filled in here.
/// Errors: the refusal of a policy that fails, unless it says that its failures are to be ignored;
/// those of `make_context`.
Result<std::optional<json::Value>> apply_mutating_policies(
    const State& state, const RuledRequest& request, const ContextSource& make_context
);

/// What is wrong with the expressions of such a policy.
std::vector<Cause> find_mutation_faults(const json::Value& policy);

}  // namespace sluice::apiserver
