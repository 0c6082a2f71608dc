// The kinds that CustomResourceDefinitions define.
#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/types/failures.hpp"
#include "json/value.hpp"

#include <vector>

namespace sluice::apiserver {

/// Returns the kinds that a CustomResourceDefinition defines, one for each served version. Their
/// schemas are not compiled.
std::vector<ResourceType> types_of_definition(const json::Value& definition);

/// Updates the table of kinds after a definition was written or, if `is_gone`, removed.
void follow_definition(State& state, const json::Value& definition, bool is_gone);

/// Requires that the kinds of a new or changed CustomResourceDefinition can be served.
/// `old_object`: nullptr for a new definition. Does nothing for other kinds. Errors: Invalid.
Result<void> check_definition(
    const State& state,
    const ResourceType& type,
    const json::Value& object,
    const json::Value* old_object
);

}  // namespace sluice::apiserver
