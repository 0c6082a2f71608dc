#pragma once

namespace CLI {
class App;
}

namespace sluice::commands {

/// Adds `schedule` to the program: the engine's decisions for objects in files, without a cluster.
/// When it is the command chosen, its outcome goes to `exit_code`: 0 done, 2 for bad input.
void add_schedule(CLI::App& program, int& exit_code);

}  // namespace sluice::commands
