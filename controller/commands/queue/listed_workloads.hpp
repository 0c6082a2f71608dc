// Lists workloads with what they wait for, from the controller or from objects.
#pragma once

#include "api/insight/explanation.hpp"
#include "base/error.hpp"
#include "controller/commands/offline/connection_options.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// The workloads to list.
struct QueueSelection {
    std::string ns;              ///< empty for all namespaces
    std::string label_selector;  ///< of Workloads; empty for all
    std::string cluster_queue;   ///< empty for all
    std::string local_queue;     ///< empty for all
    std::string state;           ///< empty for all
    bool with_finished = false;
};

struct ListedWorkloads {
    std::vector<api::Explanation> rows;
    std::vector<std::string> remarks;  ///< on how they were found
};

/// Lists the workloads. `ns` is not set if the options name files or a context with a namespace.
/// Errors: those of the API server, and Invalid.
Result<ListedWorkloads> list_explained(
    const SourceOptions& source, const QueueSelection& selection
);

}  // namespace sluice::commands
