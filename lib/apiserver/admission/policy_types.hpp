#pragma once

#include "apiserver/state/state.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// What a ValidatingAdmissionPolicy's expressions would make of objects that are as the schemas of
/// their kinds say: `status.typeChecking.expressionWarnings`. Kinds that the policy names with
/// wildcards are passed over.
json::Array find_type_warnings(const State& state, const json::Value& policy_spec);

}  // namespace sluice::apiserver
