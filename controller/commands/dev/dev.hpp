#pragma once

namespace CLI {
class App;
}

namespace sluice::commands {

/// Adds `sluice dev`: an embedded API server, a simulated cluster and the controller in one
/// process. Its exit code goes to `exit_code` when it ran.
void add_dev(CLI::App& app, int& exit_code);

}  // namespace sluice::commands
