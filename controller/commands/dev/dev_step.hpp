// `sluice dev --step`: a cluster whose time advances by lines of standard input.
#pragma once

#include "controller/commands/dev/dev_options.hpp"
#include "controller/commands/live_view/stop_signals.hpp"

namespace sluice::commands {

/// Runs `sluice dev --step`: time advances only when a line of standard input says so. Returns the
/// exit code.
int run_dev_steps(const DevOptions& options, StopSignals& stop);

}  // namespace sluice::commands
