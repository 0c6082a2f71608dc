// The frameworks that a configuration may list.
#pragma once

#include "config/validation.hpp"

#include <vector>

namespace sluice::job_kinds {

/// Returns all frameworks that `integrations.frameworks` may list, sorted by name: those of the
/// built-in descriptions, and those whose kinds have code in place of a description.
const std::vector<config::Framework>& known_frameworks();

}  // namespace sluice::job_kinds
