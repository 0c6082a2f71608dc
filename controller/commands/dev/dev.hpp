// Subcommand `sluice dev`, which runs a simulated cluster for kubectl.
#pragma once

namespace CLI {
class App;
}

namespace sluice::commands {

/// Adds `sluice dev`: an embedded API server, a simulated cluster and the controller in one
/// process. It sets `exit_code`.
void add_dev(CLI::App& app, int& exit_code);

}  // namespace sluice::commands
