// Validates a custom object: by the structure of its schema, then by its CEL rules.
#pragma once

#include "apiserver/state/custom_rules.hpp"
#include "apiserver/types/resource_type.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Returns the faults of a custom object, without those of its metadata: first those of the
/// schema's structure, then those of its rules. `old_object`: the object before an update; nullptr
/// if the object is new.
RuleVerdict validate_custom(
    const ResourceType& type, const json::Value& object, const json::Value* old_object
);

}  // namespace sluice::apiserver
