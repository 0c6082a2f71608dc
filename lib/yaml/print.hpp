#pragma once

#include "json/value.hpp"

#include <string>

namespace sluice::yaml {

/// Prints as YAML in block style, the members of every object by name; every YAML 1.1 and 1.2
/// parser reads it back alike.
std::string print(const json::Value& value);

}  // namespace sluice::yaml
