// Enforces ResourceQuotas and updates their status.
#pragma once

#include "apiserver/state/state.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// Requires that the quotas of the namespace have room for the object. `old_object`: nullptr for a
/// new object. Errors: Forbidden, which names the exceeded quota.
Result<void> check_quotas(
    const State& state,
    const ResourceType& type,
    const json::Value* old_object,
    const json::Value& object
);

/// Writes the current usage into the status of the namespace's quotas.
void settle_quotas(State& state, const std::string& ns);

}  // namespace sluice::apiserver
