#pragma once

#include <string>
#include <string_view>

namespace sluice {

/// The text with control characters written as "\x1b" or "\u202e" and what is not UTF-8 byte by
/// byte: names and messages of objects reach terminals and logs, where they could forge lines, move
/// the cursor or turn text around.
std::string printable(std::string_view text);

}  // namespace sluice
