#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"

namespace sluice::apiserver {

/// DELETE of an object or of a collection, with its options. `is_rehearsal`: nothing is deleted,
/// and the answer is one that nobody sees.
Response delete_objects(
    State& state, const Request& request, const Route& route, Time now, bool is_rehearsal = false
);

}  // namespace sluice::apiserver
