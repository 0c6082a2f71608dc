#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace sluice::commands {

/// Adds `sluice config check` and `sluice config defaults`; their exit code goes to `exit_code`
/// when they ran: 0, 1 when something is wrong with the file, 2 when it cannot be read.
void add_config(CLI::App& app, int& exit_code);

/// What `sluice config check` says of a file.
struct ConfigReport {
    std::string text;  ///< a line each: `FILE:LINE: error: path: why`, or `warning`
    int errors = 0;
    int warnings = 0;
};

/// Checks all that `sluice controller` checks of a file before it starts, or of a ConfigMap that
/// describes kinds of jobs when it reads that. `feature_gates` is the text of `--feature-gates`,
/// `own_namespace` the namespace of the controller's pod: if neither it nor the file names one, a
/// fault that only the default namespace has is a warning.
ConfigReport check_config(
    std::string_view file,
    std::string_view text,
    std::string_view feature_gates,
    std::string_view own_namespace = ""
);

}  // namespace sluice::commands
