#pragma once

#include <string_view>

namespace sluice::commands {

/// Writes the text to an open file. Whether all was written; else errno says why.
bool write_all(int file, std::string_view text);

}  // namespace sluice::commands
