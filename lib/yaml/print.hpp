// Prints a JSON value as YAML in block style.
#pragma once

#include "json/value.hpp"

#include <string>

namespace sluice::yaml {

/// Prints YAML in block style, with the members of every object sorted by name. Every YAML 1.1 and
/// 1.2 parser reads the same value back.
std::string print(const json::Value& value);

}  // namespace sluice::yaml
