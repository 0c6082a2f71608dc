// Validates CustomResourceDefinitions.
#pragma once

#include "apiserver/objects/cause.hpp"
#include "json/value.hpp"

#include <vector>

namespace sluice::apiserver {

/// Returns the faults of a CustomResourceDefinition, which the API server refuses: names, versions,
/// schemas that are not structural, and changes of immutable fields. `old_definition`: nullptr for
/// a new definition. If it returns no faults, the schemas compile. Does not check CEL rules.
std::vector<Cause> find_definition_faults(
    const json::Value& definition, const json::Value* old_definition
);

}  // namespace sluice::apiserver
