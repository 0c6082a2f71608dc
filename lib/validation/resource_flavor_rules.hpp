#pragma once

#include "api/kueue/resource_flavor.hpp"
#include "api/meta/field_error.hpp"

namespace sluice::validation {

/// Everything of a ResourceFlavor but what its CRD says: labels, taints and keys of tolerations.
api::FieldErrors validate(const api::ResourceFlavor& flavor);

}  // namespace sluice::validation
