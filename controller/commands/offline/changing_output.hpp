// Prints an answer, and prints it again when it changes.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <functional>
#include <optional>
#include <string>

namespace sluice::commands {

/// Prints the answer; with a period, asks again so often, and prints the answer when it changes,
/// until it fails. Returns the exit code: 0, or 2 after an error, which goes to standard error.
int print_changes(
    std::optional<Duration> period, const std::function<Result<std::string>()>& answer
);

}  // namespace sluice::commands
