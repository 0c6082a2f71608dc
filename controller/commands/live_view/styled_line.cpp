#include "controller/commands/live_view/styled_line.hpp"

#include "base/printable.hpp"

#include <algorithm>

namespace sluice::commands {

namespace {

/// Replaces characters outside ASCII: terminals disagree on their widths.
std::string to_ascii(std::string_view text) {
    std::string made;
    for (const char sign : printable(text)) {
        const auto byte = static_cast<unsigned char>(sign);
        if (byte < 0x80U) {
            made += sign;
        } else if (byte >= 0xc0U) {
            made += '?';  // once per character, not per byte
        }
    }
    return made;
}

std::string_view sequence_of(Style style) {
    switch (style) {
        case Style::Plain:
            return "";
        case Style::Strong:
            return "\x1b[1m";
        case Style::Faint:
            return "\x1b[2m";
        case Style::Used:
            return "\x1b[32m";
        case Style::Borrowed:
            return "\x1b[35m";
        case Style::Waiting:
            return "\x1b[33m";
        case Style::Failing:
            return "\x1b[31m";
    }
    return "";
}

}  // namespace

StyledLine& StyledLine::add(std::string_view text, Style style) {
    Piece piece{.signs = {}, .style = style};
    for (const char sign : to_ascii(text)) {
        piece.signs.emplace_back(1, sign);
    }
    pieces_.push_back(std::move(piece));
    return *this;
}

StyledLine& StyledLine::add_cell(std::string_view text, std::size_t width, Style style) {
    std::string cell = to_ascii(text);
    if (cell.size() > width) {
        cell.resize(width);
        if (width > 2) {
            cell.replace(width - 2, 2, "..");
        }
    }
    cell.resize(width, ' ');
    return add(cell, style);
}

StyledLine& StyledLine::add_signs(std::string_view sign, std::size_t count, Style style) {
    pieces_.push_back({.signs = std::vector<std::string>(count, std::string(sign)), .style = style}
    );
    return *this;
}

std::size_t StyledLine::width() const {
    std::size_t sum = 0;
    for (const Piece& piece : pieces_) {
        sum += piece.signs.size();
    }
    return sum;
}

std::string StyledLine::print(std::size_t columns, bool has_color) const {
    std::string text;
    std::size_t left = columns;
    const bool is_cut = width() > columns;
    std::size_t dots = is_cut && columns > 4 ? 2 : 0;
    left -= dots;
    for (const Piece& piece : pieces_) {
        const std::size_t count = std::min(left, piece.signs.size());
        const std::string_view sequence = has_color ? sequence_of(piece.style) : "";
        if (count == 0) {
            continue;
        }
        text += sequence;
        for (std::size_t i = 0; i < count; ++i) {
            text += piece.signs[i];
        }
        text += sequence.empty() ? "" : "\x1b[0m";
        left -= count;
    }
    text.append(dots, '.');
    if (!has_color) {
        text.erase(text.find_last_not_of(' ') + 1);
    }
    return text;
}

}  // namespace sluice::commands
