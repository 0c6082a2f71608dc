#pragma once

#include "yaml/parse.hpp"

#include <cstddef>
#include <string_view>

namespace sluice::yaml {

/// Why a directive out of its place is refused: yaml-cpp would drop the line.
inline constexpr std::string_view kLoneDirective =
    "a line that begins with '%' is a directive, which stands only before the first '---' or "
    "between '...' and '---'";

/// The error "LINE: WHAT".
Error at_line(std::size_t line, std::string_view what);

/// Reads a stream of YAML without directives with yaml-cpp, which knows all of the language and is
/// slow: about 4 MB a second. `line` is that of the text's first character.
void read_with_library(
    std::string_view text, std::size_t line, const Limits& limits, const TakeDocument& take
);

}  // namespace sluice::yaml
