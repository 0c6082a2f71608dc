// Finds the API server that a command talks to.
#pragma once

#include "base/error.hpp"
#include "kube/client/connection_source.hpp"

#include <string>

namespace sluice::commands {

/// Finds the API server by the flags of the command and the environment of the process; see
/// find_connection(). An empty argument is a flag that is not given. Errors: those of
/// find_connection().
Result<kube::Connection> load_connection(
    const std::string& kubeconfig_file, const std::string& context
);

}  // namespace sluice::commands
