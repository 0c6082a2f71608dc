// Finds policy expressions that do not fit the schemas of the kinds that they match.
#pragma once

#include "apiserver/state/state.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Returns the type warnings of a ValidatingAdmissionPolicy
/// (`status.typeChecking.expressionWarnings`): the faults of its expressions by the schemas of the
/// kinds that it matches. Skips kinds that the policy matches by wildcards.
json::Array find_type_warnings(const State& state, const json::Value& policy_spec);

}  // namespace sluice::apiserver
