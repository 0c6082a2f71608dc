// Reads the whole YAML language with yaml-cpp.
#pragma once

#include "yaml/parse.hpp"

#include <cstddef>
#include <string_view>

namespace sluice::yaml {

/// The error for a misplaced directive. yaml-cpp would ignore such a line.
inline constexpr std::string_view kLoneDirective =
    "a line that begins with '%' is a directive, which is allowed only before the first '---' "
    "or between '...' and '---'";

/// Returns the error "LINE: WHAT".
Error at_line(std::size_t line, std::string_view what);

/// Reads a stream of YAML without directives with yaml-cpp, which supports the whole language but
/// is slow: about 4 MB a second. `line` is the line of the text's first character.
void read_with_library(
    std::string_view text, std::size_t line, const Limits& limits, const TakeDocument& take
);

}  // namespace sluice::yaml
