// Applies MutatingAdmissionPolicies to writes.
#pragma once

#include "apiserver/admission/policy_matching.hpp"
#include "apiserver/objects/cause.hpp"
#include "apiserver/state/state.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <optional>
#include <vector>

namespace sluice::apiserver {

/// Applies the MutatingAdmissionPolicies that are bound to a write. Returns the changed object in
/// the version of the request; nullopt if no policy changes it. Sets the params of the contexts.
/// Errors: the refusal of a policy that fails, unless its failurePolicy is Ignore; errors of
/// `make_context`.
Result<std::optional<json::Value>> apply_mutating_policies(
    const State& state, const RuledRequest& request, const ContextSource& make_context
);

/// Returns the faults of the expressions of a MutatingAdmissionPolicy.
std::vector<Cause> find_mutation_faults(const json::Value& policy);

}  // namespace sluice::apiserver
