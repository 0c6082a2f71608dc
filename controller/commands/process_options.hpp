#pragma once

#include "base/error.hpp"
#include "controller/process/controller_process.hpp"

#include <string>

namespace sluice::commands {

/// What the settings of a controller are made of.
struct ProcessArguments {
    std::string config_file;  ///< "": Kueue's own defaults
    std::string controllers = "*";
    std::string feature_gates;
    bool in_cluster = false;
    std::string pod_namespace;  ///< "" outside a pod
};

/// Reads and checks them. Errors: Invalid, naming where the fault is.
Result<controller::ProcessOptions> make_process_options(const ProcessArguments& options);

}  // namespace sluice::commands
