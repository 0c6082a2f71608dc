// Subcommand `sluice queue`, which lists workloads with their places and what they wait for.
#pragma once

namespace CLI {
class App;
}

namespace sluice::commands {

/// Adds `sluice queue`: the workloads of a namespace or of all, in the order of their queues. It
/// sets `exit_code`: 0; 2 for bad input or a cluster that cannot be read.
void add_queue(CLI::App& program, int& exit_code);

}  // namespace sluice::commands
