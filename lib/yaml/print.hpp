#pragma once

#include "json/value.hpp"

#include <cstdint>
#include <string>

namespace sluice::yaml {

/// In which order the members of every object are printed.
enum class MemberOrder : std::uint8_t { AsGiven, ByName };

/// Prints as YAML in block style; every YAML 1.1 and 1.2 parser reads it back alike.
std::string print(const json::Value& value, MemberOrder order);

}  // namespace sluice::yaml
