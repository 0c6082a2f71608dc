// Answers GET requests: objects, lists in pages, and watches.
#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/state/store.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"

namespace sluice::apiserver {

/// Answers the GET of an object or a collection, or begins a watch.
Response read_objects(State& state, const Request& request, const Route& route, Time now);

/// Returns the object that the route names; nullptr if it does not exist.
Snapshot find_one(const State& state, const Route& route);
/// Answers the GET of an object, which find_one() has returned.
Response show_one(
    const State& state, const Request& request, const Route& route, const Snapshot& object, Time now
);

/// Returns an object as an item of a list: items of Kubernetes' own kinds have no apiVersion and
/// kind.
json::Value to_item(json::Value object, const ResourceType& type);

}  // namespace sluice::apiserver
