// Options of the controller process, made from a Configuration and the command line.
#pragma once

#include "base/error.hpp"
#include "controller/process/controller_process.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::commands {

/// Sources of the controller's settings.
struct ProcessArguments {
    std::string config_file;  ///< empty: `document`, or Kueue's defaults if that is null
    json::Value document{};   ///< a Configuration, or null
    std::string controllers = "*";
    std::string feature_gates;
    bool in_cluster = false;
    std::string pod_namespace;  ///< empty outside a pod
};

/// Reads and validates the settings. Errors: Invalid, with the source of the fault.
Result<controller::ProcessOptions> make_process_options(const ProcessArguments& options);

}  // namespace sluice::commands
