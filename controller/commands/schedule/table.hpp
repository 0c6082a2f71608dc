// Prints tables for people.
#pragma once

#include <string>
#include <vector>

namespace sluice::commands {

/// The cells of a line, without colours.
using TableRow = std::vector<std::string>;

/// Prints rows under their headings, each column as wide as its widest cell; the last is not
/// padded. Escapes control characters. Requires: a row of headings, and as many cells in each.
std::string print_table(std::vector<TableRow> rows);

/// Returns the text of a cell, "-" for an empty one.
std::string or_dash(const std::string& text);

}  // namespace sluice::commands
