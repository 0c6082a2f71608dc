#pragma once

#include "json/value.hpp"

#include <string>

namespace sluice::commands {

/// The value as block-style YAML with the members of every object sorted by name. Texts are quoted
/// wherever a reader could take them for something else.
std::string yaml_text(const json::Value& value);

}  // namespace sluice::commands
