// Subcommand `sluice test`, which checks manifests against expectations.
#pragma once

namespace CLI {
class App;
}

namespace sluice::commands {

/// Adds `sluice test`: applies objects to an embedded cluster on virtual time and compares the
/// result with expectations. It sets `exit_code`.
void add_test(CLI::App& app, int& exit_code);

}  // namespace sluice::commands
