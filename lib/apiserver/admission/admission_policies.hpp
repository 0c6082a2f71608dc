// Checks writes against ValidatingAdmissionPolicies, and the policies themselves.
#pragma once

#include "apiserver/admission/admission_expressions.hpp"
#include "apiserver/admission/policy_matching.hpp"
#include "apiserver/admission/rule_matching.hpp"
#include "apiserver/objects/cause.hpp"
#include "apiserver/state/state.hpp"
#include "base/error.hpp"

#include <string>
#include <vector>

namespace sluice::apiserver {

/// Checks a write against the ValidatingAdmissionPolicies that are bound to it. Sets the params of
/// the contexts. Adds the messages of bindings with the action Warn to `warnings`. Errors: the
/// refusal of the first policy that denies the write; errors of `make_context`.
Result<void> check_policies(
    const State& state,
    const RuledRequest& request,
    const ContextSource& make_context,
    std::vector<std::string>& warnings
);

/// Returns the faults of the expressions of a policy or of the webhooks of a configuration.
std::vector<Cause> find_expression_faults(const ResourceType& type, const json::Value& object);

/// Sets observedGeneration and the type warnings in the status of a ValidatingAdmissionPolicy. Does
/// nothing for other objects, or if the status is up to date.
void settle_policy(State& state, const Collection& collection, const ObjectName& name);

}  // namespace sluice::apiserver
