// Subcommand `sluice why`, which explains a workload.
#pragma once

namespace CLI {
class App;
}

namespace sluice::commands {

/// Adds `sluice why`: why a workload waits or runs, and what would admit it. It sets `exit_code`: 0
/// if it runs or may start; 3 if it never starts as things are; 1 if it is not found; 2 for bad
/// input or a cluster that cannot be read.
void add_why(CLI::App& program, int& exit_code);

}  // namespace sluice::commands
