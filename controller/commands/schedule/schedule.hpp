// Subcommand `sluice schedule`, which decides on objects in files.
#pragma once

namespace CLI {
class App;
}

namespace sluice::commands {

/// Adds `sluice schedule`: the engine's decisions on objects in files, without a cluster. It sets
/// `exit_code`: 0, or 2 for bad input.
void add_schedule(CLI::App& program, int& exit_code);

}  // namespace sluice::commands
