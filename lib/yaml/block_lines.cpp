#include "yaml/block_lines.hpp"

#include <algorithm>
#include <cstdint>

namespace sluice::yaml {
namespace {

bool is_blank(std::string_view text) {
    return text.find_first_not_of(' ') == std::string_view::npos;
}

/// Returns the length of the UTF-8 sequence at the front; 0 if it is malformed.
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
        return byte(i) >= low && byte(i) <= high;
    };
    const unsigned first = byte(0);
    if (first >= 0xC2 && first <= 0xDF) {
        return follows(1) ? 2 : 0;
    }
    if (first >= 0xE0 && first <= 0xEF) {
        const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
        const unsigned high = first == 0xED ? 0x9F : 0xBF;
        return follows(1, low, high) && follows(2) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        const unsigned low = first == 0xF0 ? 0x90 : 0x80;
        const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
        return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

/// Returns true if the text is valid UTF-8, has no control characters except line feeds, and has no
/// other character that some readers treat as a line break or a byte order mark.
bool is_simple(std::string_view text) {
    bool has_control = false;
    bool is_ascii = true;
    for (const char c : text) {
        has_control |= (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F;
        is_ascii &= static_cast<unsigned char>(c) < 0x80;
    }
    if (has_control || is_ascii) {
        return !has_control;
    }
    while (!text.empty()) {
        const bool is_plain = static_cast<unsigned char>(text.front()) < 0x80;
        const std::size_t length = is_plain ? 1 : sequence_length(text);
        const auto character = text.substr(0, length);
        if (length == 0 || character == "\xC2\x85" || character == "\xE2\x80\xA8" ||
            character == "\xE2\x80\xA9" || character == "\xEF\xBB\xBF") {
            return false;
        }
        text.remove_prefix(length);
    }
    return true;
}

/// Returns the character that an escape sequence with this letter means; 0 if the sequence is left
/// to yaml-cpp.
char escaped(char letter) {
    switch (letter) {
        case '"':
        case '\\':
        case '/':
        case ' ':
            return letter;
        case 'n':
            return '\n';
        case 't':
            return '\t';
        case 'r':
            return '\r';
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        default:
            return 0;
    }
}

}  // namespace

bool is_empty(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    return first == std::string_view::npos || text[first] == '#';
}

std::string_view trim_right(std::string_view text) {
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

bool may_begin_plain(std::string_view text) {
    constexpr std::string_view kIndicators = ",[]{}#&*!|>'\"%@`";
    constexpr std::string_view kWithBlank = "-?:";
    if (text.empty()) {
        return false;
    }
    const char first = text.front();
    if ((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z')) {
        return true;
    }
    return kIndicators.find(first) == std::string_view::npos &&
           (kWithBlank.find(first) == std::string_view::npos || (text.size() > 1 && text[1] != ' ')
           );
}

std::size_t find_plain_end(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' ')) {
            return i;
        }
        if (text[i] == '#' && i > 0 && text[i - 1] == ' ') {
            return i - 1;
        }
    }
    return text.size();
}

std::size_t find_closing_quote(std::string_view text, std::size_t from, char quote) {
    for (std::size_t i = from; i < text.size(); ++i) {
        if (text[i] == '\\' && quote == '"') {
            ++i;
        } else if (text[i] == quote) {
            if (quote == '"' || i + 1 == text.size() || text[i + 1] != quote) {
                return i;
            }
            ++i;
        }
    }
    return std::string_view::npos;
}

bool unquote(std::string_view text, char quote, std::string& out) {
    const char sign = quote == '"' ? '\\' : '\'';
    while (true) {
        const auto at = text.find(sign);
        out += text.substr(0, at);
        if (at == std::string_view::npos) {
            return true;
        }
        const char letter = at + 1 < text.size() ? text[at + 1] : '\0';
        const char meant = quote == '"' ? escaped(letter) : letter;
        if (meant == 0) {
            return false;
        }
        out += meant;
        text.remove_prefix(at + 2);
    }
}

BlockLines::BlockLines(std::string_view text) : text_(text), is_simple_(is_simple(text)) {}

BlockLines::Line BlockLines::line_at(std::size_t at) const {
    const auto end = text_.find('\n', at);
    if (end == std::string_view::npos) {
        return {text_.substr(at), text_.size(), false};
    }
    return {text_.substr(at, end - at), end + 1, true};
}

bool BlockLines::next() {
    follows_directly_ = true;
    while (at_ < text_.size()) {
        const Line line = line_at(at_);
        at_ = line.next;
        const auto first = line.text.find_first_not_of(' ');
        if (first == std::string_view::npos || line.text[first] == '#') {
            follows_directly_ = false;
            continue;
        }
        column_ = first;
        rest_ = trim_right(line.text.substr(first));
        has_trailing_blanks_ = line.text.back() == ' ';
        const bool may_be_marker =
            column_ == 0 && (rest_.starts_with("---") || rest_.starts_with("..."));
        return is_simple_ && !may_be_marker;
    }
    at_end_ = true;
    rest_ = {};
    column_ = 0;
    return is_simple_;
}

void BlockLines::skip(std::size_t count) {
    const auto first = rest_.find_first_not_of(' ', count);
    const std::size_t length = std::min(first, rest_.size());
    column_ += length;
    rest_.remove_prefix(length);
}

bool BlockLines::take_literal(std::size_t column, std::string& out) {
    if ((rest_ != "|" && rest_ != "|-") || has_trailing_blanks_) {
        return false;
    }
    const bool keeps_end = rest_ == "|";
    std::size_t indent = 0;
    std::size_t breaks = 0;
    while (at_ < text_.size()) {
        const Line line = line_at(at_);
        if (!line.is_closed) {
            return false;
        }
        if (is_blank(line.text)) {
            if (indent == 0 || line.text.size() > indent) {
                return false;
            }
            ++breaks;
            at_ = line.next;
            continue;
        }
        const auto first = line.text.find_first_not_of(' ');
        if (first <= column) {
            break;
        }
        if (indent == 0) {
            indent = first;
        } else if (first < indent) {
            return false;
        } else {
            out.append(breaks + 1, '\n');
        }
        breaks = 0;
        out += line.text.substr(indent);
        at_ = line.next;
    }
    if (indent == 0) {
        return false;
    }
    if (keeps_end) {
        out += '\n';
    }
    return next();
}

}  // namespace sluice::yaml
