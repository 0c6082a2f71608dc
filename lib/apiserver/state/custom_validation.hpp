#pragma once

#include "apiserver/state/custom_rules.hpp"
#include "apiserver/types/resource_type.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// What the API server refuses of a custom object besides its metadata: first the structure of its
/// schema, then the schema's rules. `old_object`: what an update changes; nullptr: it is new.
RuleVerdict validate_custom(
    const ResourceType& type, const json::Value& object, const json::Value* old_object
);

}  // namespace sluice::apiserver
