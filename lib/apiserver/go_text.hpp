#pragma once

#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// A value as Go's %v prints it, in which some messages of the API server hold objects:
/// map[a:1 b:[x y]].
std::string go_text(const json::Value& value);

}  // namespace sluice::apiserver
