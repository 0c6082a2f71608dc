#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/state/store.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"

namespace sluice::apiserver {

/// GET of an object, a collection or a watch.
Response read_objects(State& state, const Request& request, const Route& route, Time now);

/// The object that the route names; nullptr: there is none.
Snapshot find_one(const State& state, const Route& route);
/// The answer to a GET of it, with the object as it was found.
Response show_one(
    const State& state, const Request& request, const Route& route, const Snapshot& object, Time now
);

/// An object as an item of a list: of Kubernetes' own kinds it is not said again what it is.
json::Value to_item(json::Value object, const ResourceType& type);

}  // namespace sluice::apiserver
