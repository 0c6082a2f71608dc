#pragma once

#include "json/value.hpp"

#include <string>

namespace sluice::yaml {

/// Prints as YAML in block style, members in their order; every YAML 1.1 and 1.2 parser reads it
/// back alike. `sorted` orders the members of every object by name.
std::string print(const json::Value& value, bool sorted = false);

}  // namespace sluice::yaml
