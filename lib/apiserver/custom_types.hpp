#pragma once

#include "apiserver/failures.hpp"
#include "apiserver/state.hpp"
#include "json/value.hpp"

#include <vector>

namespace sluice::apiserver {

/// The kinds that a CustomResourceDefinition defines, one a served version.
std::vector<ResourceType> types_of_definition(const json::Value& definition);

/// Brings the kinds that the server has in line with a definition that was written, or, with
/// `is_gone`, removed.
void follow_definition(State& state, const json::Value& definition, bool is_gone);

/// What of a CustomResourceDefinition can never be served. Nothing for other kinds.
/// Errors: Invalid.
Result<void> check_definition(
    const State& state, const ResourceType& type, const json::Value& object
);

}  // namespace sluice::apiserver
