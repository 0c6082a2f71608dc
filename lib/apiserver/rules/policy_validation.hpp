#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// What is wrong with ValidatingAdmissionPolicies, MutatingAdmissionPolicies and their bindings,
/// beside their expressions.
void check_validating_policy(Causes& causes, const json::Value& policy);
void check_mutating_policy(Causes& causes, const json::Value& policy);
void check_validating_binding(Causes& causes, const json::Value& binding);
void check_mutating_binding(Causes& causes, const json::Value& binding);

}  // namespace sluice::apiserver
