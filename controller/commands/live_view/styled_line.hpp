// A line of a terminal with styles, cut to a width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::commands {

enum class Style : std::uint8_t { Plain, Strong, Faint, Used, Borrowed, Waiting, Failing };

/// A line of a terminal, made of pieces with one style each.
class StyledLine {
  public:
    /// Appends untrusted text: control characters are escaped, characters outside ASCII are
    /// replaced.
    StyledLine& add(std::string_view text, Style style = Style::Plain);
    /// Appends the text, padded with blanks or cut to that width.
    StyledLine& add_cell(std::string_view text, std::size_t width, Style style = Style::Plain);
    /// Appends a sign that many times. Requires: the sign takes one column.
    StyledLine& add_signs(std::string_view sign, std::size_t count, Style style = Style::Plain);
    /// Returns the number of columns that the line takes.
    std::size_t width() const;
    /// Returns the line, cut to that many columns, with or without color sequences.
    std::string print(std::size_t columns, bool has_color) const;

  private:
    struct Piece {
        std::vector<std::string> signs;  ///< each of one column
        Style style = Style::Plain;
    };
    std::vector<Piece> pieces_;
};

}  // namespace sluice::commands
