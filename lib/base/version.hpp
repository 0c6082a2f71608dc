// The version of this build.
#pragma once

#include <string_view>

namespace sluice {

/// Returns the version of the build, as set in CMakeLists.txt. Example: 0.1.0
std::string_view version();

}  // namespace sluice
