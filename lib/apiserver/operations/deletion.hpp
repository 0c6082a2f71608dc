// Deletes an object or a collection.
#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"

namespace sluice::apiserver {

/// Answers the DELETE of an object or a collection, with its options. `is_rehearsal`: nothing is
/// deleted, and the answer is only computed to find missing conversions.
Response delete_objects(
    State& state, const Request& request, const Route& route, Time now, bool is_rehearsal = false
);

}  // namespace sluice::apiserver
