// Finds the line at which a value of a YAML document begins, by its path.
#pragma once

#include <cstddef>
#include <string_view>

namespace sluice::yaml {

/// Returns the line, counted from 1, at which the value at the path begins. If the path does not
/// exist, returns the line of its deepest part that does. A path is member names after dots; in
/// brackets, it names an index of a list, a text in a list, or a member:
/// `integrations.frameworks[2]`, `featureGates[Name]`. Requires: parse_document() accepts the text.
std::size_t find_line(std::string_view text, std::string_view path);

}  // namespace sluice::yaml
