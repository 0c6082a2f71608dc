#pragma once

#include "yaml/parse.hpp"

#include <cstddef>
#include <string_view>

namespace sluice::yaml {

/// Reads a stream of YAML with yaml-cpp, which knows all of the language and is slow: about 4 MB a
/// second. `line` is that of the text's first character.
void read_with_library(
    std::string_view text, std::size_t line, const Limits& limits, const TakeDocument& take
);

}  // namespace sluice::yaml
