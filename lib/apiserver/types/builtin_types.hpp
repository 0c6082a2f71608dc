#pragma once

#include "apiserver/types/resource_type.hpp"

#include <vector>

namespace sluice::apiserver {

/// Kubernetes' own kinds that the server has.
std::vector<ResourceType> builtin_types();

}  // namespace sluice::apiserver
