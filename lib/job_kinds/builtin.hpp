#pragma once

#include "job_kinds/description.hpp"

#include <string_view>
#include <vector>

namespace sluice::job_kinds {

/// The descriptions that Sluice is built with, of the files in `builtin`, by framework.
const std::vector<Description>& builtin_descriptions();

/// The one of that name in integrations.frameworks, or nullptr.
const Description* find_builtin(std::string_view framework);

}  // namespace sluice::job_kinds
