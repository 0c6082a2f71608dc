// Subcommand `sluice replay`, which replays the journal of a controller.
#pragma once

namespace CLI {
class App;
}

namespace sluice::commands {

/// Adds `sluice replay`: every decision of a journal again, compared. It sets `exit_code`: 0 if all
/// are the same; 4 if one differs; 1 if a workload is not found; 2 for bad input or a damaged
/// journal.
void add_replay(CLI::App& program, int& exit_code);

}  // namespace sluice::commands
