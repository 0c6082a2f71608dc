#pragma once

#include "base/error.hpp"
#include "controller/process/controller_process.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::commands {

/// What the settings of a controller are made of.
struct ProcessArguments {
    std::string config_file;  ///< "": the document, else Kueue's own defaults
    json::Value document{};   ///< a Configuration; null: none
    std::string controllers = "*";
    std::string feature_gates;
    bool in_cluster = false;
    std::string pod_namespace;  ///< "" outside a pod
};

/// Reads and checks them. Errors: Invalid, naming where the fault is.
Result<controller::ProcessOptions> make_process_options(const ProcessArguments& options);

}  // namespace sluice::commands
