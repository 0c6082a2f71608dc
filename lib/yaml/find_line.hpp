#pragma once

#include <cstddef>
#include <string_view>

namespace sluice::yaml {

/// The line, counted from 1, at which the value of that path begins, or of the deepest part of the
/// path that there is. A path is member names after dots, and in brackets the place in a list, a
/// text in a list, or a member name: `integrations.frameworks[2]`, `featureGates[Name]`. Requires:
/// a text that parse_document() takes.
std::size_t find_line(std::string_view text, std::string_view path);

}  // namespace sluice::yaml
