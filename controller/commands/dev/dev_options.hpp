// Options of `sluice dev`, and the messages that its two modes share.
#pragma once

#include "base/error.hpp"
#include "controller/commands/cluster/embedded_cluster.hpp"
#include "controller/commands/schedule/manifests.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::commands {

/// The command line of `sluice dev`.
struct DevOptions {
    EmbeddedCluster::Options cluster;
    std::vector<std::string> files;
    std::string kubeconfig = "sluice-dev.kubeconfig";
    std::string config_file;
    std::string data;  ///< folder; empty: nothing is kept
    std::string feature_gates;
    std::string log_level = "warning";
    std::string speed = "1x";
    int run_seconds = 30;
    bool is_server_only = false;
    bool is_stepped = false;
    bool is_quiet = false;
};

/// Checks an option that is a whole number from 0 to `most`. Returns an empty text or the error.
std::string check_number(const std::string& text, std::int64_t most);

/// Reports on stderr an object of the user that the API server rejected, with the reason.
void print_refused(const Manifest& manifest, const Error& error);
/// Reports on stderr why the cluster cannot start. Returns the exit code.
int cannot_start(const Error& error);
/// Returns the URL of the API server.
std::string dev_server_url(std::uint16_t port);
/// Returns the commands with which a user looks at the cluster.
std::vector<std::string> next_dev_commands(const DevOptions& options);
/// Prints the URL of the API server, the next commands, and `end`: how to stop.
void print_dev_start(const DevOptions& options, std::uint16_t port, const std::string& end);

}  // namespace sluice::commands
