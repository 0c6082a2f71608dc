#pragma once

#include "apiserver/cause.hpp"
#include "apiserver/state.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <vector>

namespace sluice::apiserver {

/// Gives a Service its addresses of 10.96.0.0/12, its ports of nodes and that of its health check,
/// or finds fault with those that it asks for. `old_service`: nullptr for a new one. Errors:
/// Internal where all ports are taken.
Result<std::vector<Cause>> give_service_addresses(
    const State& state, const json::Value* old_service, json::Value& service
);

}  // namespace sluice::apiserver
