// The descriptions of job kinds that are built into Sluice.
#pragma once

#include "job_kinds/description.hpp"

#include <string_view>
#include <vector>

namespace sluice::job_kinds {

/// Returns the built-in descriptions, read from the files in `builtin`, sorted by framework.
const std::vector<Description>& builtin_descriptions();

/// Returns the built-in description of a framework of integrations.frameworks; nullptr if it has no
/// description.
const Description* find_builtin(std::string_view framework);

}  // namespace sluice::job_kinds
