#pragma once

#include "apiserver/request.hpp"
#include "apiserver/state.hpp"
#include "base/clock.hpp"

namespace sluice::apiserver {

/// DELETE of an object or of a collection, with its options.
Response delete_objects(State& state, const Request& request, const Route& route, Time now);

/// What follows from a write: an object whose last finalizer is gone goes, a definition serves its
/// kinds, dependents of what went go too.
void after_write(State& state, const ResourceType& type, const ObjectName& name, Time now);

/// Deletes one object in the background, as the garbage collector does.
void delete_in_background(
    State& state, const Collection& collection, const ObjectName& name, Time now
);

}  // namespace sluice::apiserver
