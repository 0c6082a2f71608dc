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

/// Holds a write against the ValidatingAdmissionPolicies that are bound to it. The params of the
/// contexts are filled in here. Adds what a binding only warns of to `warnings`.
/// Errors: the refusal of the first that denies the write; those of `make_context`.
Result<void> check_policies(
    const State& state,
    const RuledRequest& request,
    const ContextSource& make_context,
    std::vector<std::string>& warnings
);

/// What is wrong with the expressions of a policy or of the webhooks of a configuration.
std::vector<Cause> find_expression_faults(const ResourceType& type, const json::Value& object);

/// Says in a policy's status that this generation of it is looked at.
void settle_policy(State& state, const Collection& collection, const ObjectName& name);

}  // namespace sluice::apiserver
