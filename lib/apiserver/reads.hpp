#pragma once

#include "apiserver/core.hpp"
#include "apiserver/flow.hpp"

#include <vector>

namespace sluice::apiserver {

/// Serves GET of an object.
Flow<Result<Response>> get_object(Core* core, Scope* scope);

/// Serves GET of a collection.
Flow<Result<Response>> list_objects(Core* core, Scope* scope);

/// Serves a watch of a collection, or of one object by its name.
Result<Response> watch_objects(Core& core, Scope& scope);

/// The places of the objects that selectors of the request name, in the order of a list.
Result<std::vector<StoredPtr>> select_objects(Core& core, Scope& scope);

}  // namespace sluice::apiserver
