#pragma once

#include <string_view>

namespace sluice {

/// The version of the build, as CMakeLists.txt states it. Example: 0.1.0
std::string_view version();

}  // namespace sluice
