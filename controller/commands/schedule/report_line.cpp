#include "controller/commands/schedule/report_line.hpp"

#include "base/printable.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace sluice::commands {

void report_line(std::string_view level, std::string_view text) {
    fmt::print(stderr, "{}: {}\n", level, printable(text));
}

}  // namespace sluice::commands
