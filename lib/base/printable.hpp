#pragma once

#include <string>
#include <string_view>

namespace sluice {

/// The text with control characters written as "\x1b" or "\u202e" and what is not UTF-8 byte by
/// byte: names and messages of objects reach terminals and logs, where they could forge lines, move
/// the cursor or turn text around.
std::string printable(std::string_view text);

/// The text with each byte that belongs to no character of UTF-8 replaced by U+FFFD, for documents
/// that must be UTF-8 whatever they quote.
std::string to_utf8(std::string_view text);
/// Whether each byte belongs to a character of UTF-8.
bool is_utf8(std::string_view text);

}  // namespace sluice
