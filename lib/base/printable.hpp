// Escapes control characters and invalid UTF-8 in text from outside.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

/// Returns the text with control characters written as "\x1b" or "\u202e", and with each byte that
/// is not valid UTF-8 written as "\xff". Names and messages of objects reach terminals and logs,
/// where such characters could forge lines, move the cursor or reverse text.
std::string printable(std::string_view text);

/// Returns the text with each byte that is not valid UTF-8 replaced by U+FFFD, for documents that
/// must be UTF-8 whatever they quote.
std::string to_utf8(std::string_view text);
/// Returns true if the text is valid UTF-8.
bool is_utf8(std::string_view text);

}  // namespace sluice
