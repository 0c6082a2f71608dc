#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::commands {

enum class Style : std::uint8_t { Plain, Strong, Faint, Used, Borrowed, Waiting, Failing };

/// A line of a terminal, made of pieces of one style each.
class StyledLine {
  public:
    /// Appends foreign text: what is not printable ASCII is written in letters.
    StyledLine& add(std::string_view text, Style style = Style::Plain);
    /// Appends the text with blanks to that width, or clipped to it.
    StyledLine& add_cell(std::string_view text, std::size_t width, Style style = Style::Plain);
    /// Appends a sign so many times. Requires: it takes one column.
    StyledLine& add_signs(std::string_view sign, std::size_t count, Style style = Style::Plain);
    /// How many columns it takes.
    std::size_t width() const;
    /// The line with at most that many columns, with the sequences that colour it or without.
    std::string print(std::size_t columns, bool has_color) const;

  private:
    struct Piece {
        std::vector<std::string> signs;  ///< each of one column
        Style style = Style::Plain;
    };
    std::vector<Piece> pieces_;
};

}  // namespace sluice::commands
