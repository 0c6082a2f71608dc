#pragma once

#include "base/error.hpp"
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

/// What `sluice controller` is told on its command line.
struct ControllerOptions {
    std::string config_file;
    std::string kubeconfig_file;
    std::string context;
    std::string controllers = "*";
    std::string feature_gates;
    LogOptions log;
    /// Of the webhooks, listening already at the address that the configuration names.
    std::shared_ptr<net::ListeningSocket> webhook_socket = nullptr;
    /// Says when it is to stop, in place of SIGINT and SIGTERM.
    std::optional<std::stop_token> stop = std::nullopt;
};

/// Runs the controller until it is told to stop; the exit code.
int run_controller(const ControllerOptions& options);

/// Adds `sluice controller`; its exit code goes to `exit_code` when it ran.
void add_controller(CLI::App& app, int& exit_code);

/// What `--controllers` calls the part that admits workloads.
inline constexpr std::string_view kSchedulerController = "scheduler";

/// Names of all that `--controllers` can choose.
std::set<std::string> controller_names();

/// Groups of these under one name, as Kueue divides itself. Some have none in this version.
std::map<std::string, std::set<std::string>> controller_groups();

/// Reads `--controllers` as kube-controller-manager does: `*` is all that is on by default, `name`
/// switches on, `-name` off; the first mention of a name counts. A group stands for all that
/// it has. Errors: Invalid for an unknown name.
Result<std::set<std::string>> parse_controllers(std::string_view text);

}  // namespace sluice::commands
