#pragma once

namespace CLI {
class App;
}

namespace sluice::commands {

/// Adds `sluice test`: applies objects to an embedded cluster on virtual time and compares what
/// becomes of them with what is expected. Its exit code goes to `exit_code` when it ran.
void add_test(CLI::App& app, int& exit_code);

}  // namespace sluice::commands
