#pragma once

#include "base/error.hpp"
#include "controller/commands/cluster/embedded_cluster.hpp"
#include "controller/commands/schedule/manifests.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::commands {

/// What `sluice dev` is told on its command line.
struct DevOptions {
    EmbeddedCluster::Options cluster;
    std::vector<std::string> files;
    std::string kubeconfig = "sluice-dev.kubeconfig";
    std::string config_file;
    std::string data;  ///< folder; "": nothing is kept
    std::string feature_gates;
    std::string log_level = "warning";
    std::string speed = "1x";
    int run_seconds = 30;
    bool is_server_only = false;
    bool is_stepped = false;
    bool is_quiet = false;
};

/// For an option of whole numbers from 0 on: "", or what is wrong with a value.
std::string check_number(const std::string& text, std::int64_t most);

/// Prints which of the user's objects the server refused, and why.
void tell_refused(const Manifest& manifest, const Error& error);
/// Prints why the cluster cannot start; the exit code.
int cannot_start(const Error& error);
/// Where the server is.
std::string dev_server_url(std::uint16_t port);
/// What a user types next to look at the cluster.
std::vector<std::string> next_dev_commands(const DevOptions& options);
/// Prints where the server is, what to type next, and how it ends.
void print_dev_start(const DevOptions& options, std::uint16_t port, const std::string& end);

}  // namespace sluice::commands
