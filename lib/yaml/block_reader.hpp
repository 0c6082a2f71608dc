#pragma once

#include "json/reader.hpp"

#include <cstddef>
#include <string_view>

namespace sluice::yaml {

/// Reads a document of plain block style, the form in which kubectl and people write objects: maps
/// and lists of one line an entry, scalars plain or quoted or after a `|`. That is a hundred times
/// faster than yaml-cpp and means the same. Whatever else YAML has (anchors, tags, flow style,
/// merges, tabs) and whatever looks wrong is left to yaml-cpp: false, and the events so far count
/// for nothing. The depth is that of json::Limits. The handler must not stop the reading.
bool read_block(std::string_view text, std::size_t depth_max, json::Handler& handler);

}  // namespace sluice::yaml
