#pragma once

#include "apiserver/state/state.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// Whether the quotas of its namespace have room for the object. `old_object`: nullptr for a new
/// one. Errors: Forbidden, naming the quota that is exceeded.
Result<void> check_quotas(
    const State& state,
    const ResourceType& type,
    const json::Value* old_object,
    const json::Value& object
);

/// Writes into the status of the namespace's quotas what is used of them.
void settle_quotas(State& state, const std::string& ns);

}  // namespace sluice::apiserver
