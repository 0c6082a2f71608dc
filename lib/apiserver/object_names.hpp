#pragma once

#include "apiserver/failures.hpp"
#include "apiserver/resource_type.hpp"
#include "json/value.hpp"

#include <vector>

namespace sluice::apiserver {

/// What the API server refuses of metadata: names by the rule of the kind, labels, annotations,
/// owner references, finalizers.
std::vector<Cause> validate_metadata(const ResourceType& type, const json::Value& object);

}  // namespace sluice::apiserver
