#pragma once

#include "apiserver/request.hpp"
#include "apiserver/state.hpp"
#include "base/clock.hpp"

namespace sluice::apiserver {

/// GET of an object, a collection or a watch.
Response read_objects(State& state, const Request& request, const Route& route, Time now);

}  // namespace sluice::apiserver
