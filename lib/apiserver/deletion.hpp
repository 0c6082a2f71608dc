#pragma once

#include "apiserver/request.hpp"
#include "apiserver/state.hpp"
#include "base/clock.hpp"

namespace sluice::apiserver {

/// DELETE of an object or of a collection, with its options.
Response delete_objects(State& state, const Request& request, const Route& route, Time now);

}  // namespace sluice::apiserver
