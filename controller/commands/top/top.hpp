// Subcommand `sluice top`, which shows what each ClusterQueue uses and how long workloads wait.
#pragma once

namespace CLI {
class App;
}

namespace sluice::commands {

/// Adds `sluice top`: quota, use and waits of each ClusterQueue. It sets `exit_code`: 0; 2 for bad
/// input or a cluster that cannot be read.
void add_top(CLI::App& program, int& exit_code);

}  // namespace sluice::commands
