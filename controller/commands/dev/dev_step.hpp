#pragma once

#include "controller/commands/dev/dev_options.hpp"
#include "controller/commands/live_view/stop_signals.hpp"

namespace sluice::commands {

/// Runs `sluice dev --step`: time stands still, and each line of standard input moves it. Returns
/// the exit code.
int run_dev_steps(const DevOptions& options, StopSignals& stop);

}  // namespace sluice::commands
