// Subcommand `sluice capacity`, which compares quota with nodes.
#pragma once

namespace CLI {
class App;
}

namespace sluice::commands {

/// Adds `sluice capacity`: quota of each flavor, compared with its nodes. It sets `exit_code`: 0; 2
/// for bad input or a cluster that cannot be read.
void add_capacity(CLI::App& program, int& exit_code);

}  // namespace sluice::commands
