// Results of `sluice test` as JUnit XML.
#pragma once

#include "controller/commands/test/expectations.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::commands {

/// Returns the verdicts in the format that CI systems read: one JUnit test case per verdict.
std::string print_junit(
    std::string_view suite, const std::vector<Verdict>& verdicts, double seconds
);

}  // namespace sluice::commands
