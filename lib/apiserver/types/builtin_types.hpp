// Kubernetes' own kinds as the server serves them.
#pragma once

#include "apiserver/types/resource_type.hpp"

#include <vector>

namespace sluice::apiserver {

/// Returns Kubernetes' own kinds that the server serves.
std::vector<ResourceType> builtin_types();

}  // namespace sluice::apiserver
