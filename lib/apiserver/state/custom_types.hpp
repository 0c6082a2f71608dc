#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/types/failures.hpp"
#include "json/value.hpp"

#include <vector>

namespace sluice::apiserver {

/// The kinds that a CustomResourceDefinition defines, one a served version, their schemas not yet
/// compiled.
std::vector<ResourceType> types_of_definition(const json::Value& definition);

/// Brings the kinds that the server has in line with a definition that was written, or, with
/// `is_gone`, removed.
void follow_definition(State& state, const json::Value& definition, bool is_gone);

/// What of a new or changed CustomResourceDefinition can never be served. Nothing for other kinds.
/// `old_object`: nullptr for a new one. Errors: Invalid.
Result<void> check_definition(
    const State& state,
    const ResourceType& type,
    const json::Value& object,
    const json::Value* old_object
);

}  // namespace sluice::apiserver
