// Subcommand `sluice config`, which checks a configuration and prints the defaults.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace sluice::commands {

/// Adds `sluice config check` and `sluice config defaults`. They set `exit_code`: 0, 1 if the file
/// has errors, 2 if it cannot be read.
void add_config(CLI::App& app, int& exit_code);

/// The result of `sluice config check`.
struct ConfigReport {
    std::string text;  ///< one line per finding: `FILE:LINE: error: path: why`, or `warning`; a
                       ///< finding about a flag has no place
    int errors = 0;
    int warnings = 0;
};

/// Checks everything that `sluice controller` checks: of a Configuration before it starts, or of a
/// ConfigMap that describes kinds of jobs when it reads it. `feature_gates` is the value of
/// `--feature-gates`, `own_namespace` the namespace of the controller's pod. If neither
/// `own_namespace` nor the file names a namespace, a fault that applies only to the default
/// namespace is a warning.
ConfigReport check_config(
    std::string_view file,
    std::string_view text,
    std::string_view feature_gates,
    std::string_view own_namespace = ""
);

}  // namespace sluice::commands
