// Prints errors, warnings and notes of commands to standard error.
#pragma once

#include <string_view>

namespace sluice::commands {

/// Prints "LEVEL: TEXT" to standard error, with control characters escaped.
void report_line(std::string_view level, std::string_view text);

}  // namespace sluice::commands
