#pragma once

#include "apiserver/objects/cause.hpp"
#include "json/value.hpp"

#include <vector>

namespace sluice::apiserver {

/// What the API server refuses of a CustomResourceDefinition: names, versions, schemas that are not
/// structural, and changes of what must not change. `old_definition`: nullptr for a new one.
/// Empty: its schemas compile. Rules in CEL are not looked at.
std::vector<Cause> find_definition_faults(
    const json::Value& definition, const json::Value* old_definition
);

}  // namespace sluice::apiserver
