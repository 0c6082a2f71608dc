// Subcommand `sluice whatif`, which shows what a change would start and evict at once.
#pragma once

namespace CLI {
class App;
}

namespace sluice::commands {

/// Adds `sluice whatif submit|quota|cancel|priority|apply`. It sets `exit_code`: 0; 2 for bad
/// input, a change that the API server refuses, or a cluster that cannot be read.
void add_whatif(CLI::App& program, int& exit_code);

}  // namespace sluice::commands
