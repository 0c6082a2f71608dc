// Validation of admission policies and their bindings, except for CEL expressions.
#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Checks ValidatingAdmissionPolicies, MutatingAdmissionPolicies and their bindings. Does not check
/// their CEL expressions.
void check_validating_policy(Causes& causes, const json::Value& policy);
void check_mutating_policy(Causes& causes, const json::Value& policy);
void check_validating_binding(Causes& causes, const json::Value& binding);
void check_mutating_binding(Causes& causes, const json::Value& binding);

}  // namespace sluice::apiserver
