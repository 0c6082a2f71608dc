#pragma once

#include "apiserver/cause.hpp"
#include "apiserver/state.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <vector>

namespace sluice::apiserver {

/// What an update of a Service leaves out and keeps: addresses and ports that it was given; what
/// its new type has no use for goes.
void keep_service_addresses(const json::Value& old_service, json::Value& service);

/// Gives a Service its addresses of 10.96.0.0/12 and its ports of nodes, or finds fault with those
/// that it asks for. `old_service`: nullptr for a new one. Errors: Internal where all ports are
/// taken.
Result<std::vector<Cause>> give_service_addresses(
    const State& state, const json::Value* old_service, json::Value& service
);

}  // namespace sluice::apiserver
