// Subcommand `sluice controller`, which runs the controller.
#pragma once

#include "base/error.hpp"
#include "controller/commands/controller/journal_options.hpp"
#include "controller/commands/controller/log_options.hpp"
#include "net/transport/listening_socket.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace sluice::commands {

/// The command line of `sluice controller`.
struct ControllerOptions {
    std::string config_file;
    std::string kubeconfig_file;
    std::string context;
    std::string controllers = "*";
    std::string feature_gates;
    LogOptions log;
    JournalOptions journal;
    /// Socket of the webhooks, which already listens at the configured address. If it is nullptr,
    /// the controller opens one.
    std::shared_ptr<net::ListeningSocket> webhook_socket = nullptr;
    /// Stops the controller; if it is nullopt, SIGINT and SIGTERM do.
    std::optional<std::stop_token> stop = std::nullopt;
};

/// Runs the controller until it is stopped. Returns the exit code.
int run_controller(const ControllerOptions& options);

/// Adds `sluice controller`, which sets `exit_code`.
void add_controller(CLI::App& app, int& exit_code);

/// Name of the scheduler in `--controllers`.
inline constexpr std::string_view kSchedulerController = "scheduler";

/// Returns the names of all controllers that `--controllers` can select.
std::set<std::string> controller_names();

/// Returns the groups of controllers by name, with Kueue's division. Some groups are empty in this
/// version.
std::map<std::string, std::set<std::string>> controller_groups();

/// Parses `--controllers` as kube-controller-manager does: `*` selects all controllers that are on
/// by default, `name` turns one on, `-name` off; the first mention of a name counts. A group
/// selects all its controllers. Errors: Invalid for an unknown name.
Result<std::set<std::string>> parse_controllers(std::string_view text);

}  // namespace sluice::commands
