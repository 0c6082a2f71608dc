#pragma once

#include "controller/commands/test/expectations.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::commands {

/// The verdicts as CI systems read them: one JUnit test case each.
std::string print_junit(
    std::string_view suite, const std::vector<Verdict>& verdicts, double seconds
);

}  // namespace sluice::commands
