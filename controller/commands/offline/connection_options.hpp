// Options of commands that read a cluster, or its objects from files.
#pragma once

#include "base/error.hpp"
#include "controller/commands/schedule/schedule_cluster.hpp"
#include "controller/commands/schedule/schedule_configuration.hpp"
#include "kube/client/client_config.hpp"

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace sluice::commands {

/// Where a command finds the objects, and how it works answers out itself.
struct SourceOptions {
    std::vector<std::string> files;
    std::string kubeconfig;
    std::string context;
    std::string config;
    std::string now;
    bool offline = false;
};

/// Adds -f, or an option of another name for files, --kubeconfig, --context, --offline, --config
/// and --now.
void add_source_options(
    CLI::App& command, SourceOptions& options, const std::string& files_option = "-f,--filename"
);

/// Returns the API server that the options name. Errors: those of load_connection().
Result<kube::ClientConfig> find_server(const SourceOptions& options);

/// Reads the objects of the files, and prints warnings about them. Errors: Invalid, with all bad
/// objects.
Result<ScheduleCluster> read_files(const SourceOptions& options);

/// Returns the time of --now, or the present. Errors: Invalid.
Result<Time> find_now(const SourceOptions& options);

}  // namespace sluice::commands
