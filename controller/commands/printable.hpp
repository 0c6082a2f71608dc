#pragma once

#include <string>
#include <string_view>

namespace sluice::commands {

/// The text with control characters written as "\x1b": names and messages of objects reach the
/// terminal, where they could forge lines or move the cursor. What is not ASCII stays as it is.
std::string printable(std::string_view text);

}  // namespace sluice::commands
