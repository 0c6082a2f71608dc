// Validates ResourceFlavors.
#pragma once

#include "api/kueue/resource_flavor.hpp"
#include "api/meta/field_error.hpp"

namespace sluice::validation {

/// Validates a ResourceFlavor, except for the rules of its CRD: labels, taints and keys of
/// tolerations.
api::FieldErrors validate(const api::ResourceFlavor& flavor);

}  // namespace sluice::validation
