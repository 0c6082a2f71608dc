#pragma once

#include "apiserver/request.hpp"
#include "apiserver/state.hpp"
#include "base/clock.hpp"

namespace sluice::apiserver {

/// GET of an object, a collection or a watch.
Response read_objects(State& state, const Request& request, const Route& route, Time now);

/// An object as an item of a list: of Kubernetes' own kinds it is not said again what it is.
json::Value to_item(json::Value object, const ResourceType& type);

}  // namespace sluice::apiserver
