// Writes a whole text to a file descriptor.
#pragma once

#include <string_view>

namespace sluice::commands {

/// Writes the text to an open file, in several pieces if needed. Returns false if a write fails;
/// errno says why.
bool write_all(int file, std::string_view text);

}  // namespace sluice::commands
