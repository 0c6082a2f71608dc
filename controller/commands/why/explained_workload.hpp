// Finds the workload that a user asks about, and has it explained.
#pragma once

#include "api/insight/explanation.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "controller/commands/schedule/schedule_cluster.hpp"
#include "controller/commands/schedule/schedule_configuration.hpp"
#include "controller/commands/why/workload_reference.hpp"
#include "kube/client/client_config.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// A workload to explain.
struct WhyQuestion {
    std::string ns;
    WorkloadReference reference;
    std::string argument;  ///< the reference as the user wrote it
};

/// An explanation with remarks on how it was made, one a line.
struct WhyAnswer {
    api::Explanation explanation;
    std::vector<std::string> remarks;
    bool is_offline = false;  ///< the command made it, not the controller
};

/// Has the controller explain the workload; if that is not possible or not wanted, explains it from
/// the objects that the user may list. Errors: NotFound, with the nearest name; Invalid if several
/// workloads have the name; those of the API server.
Result<WhyAnswer> explain_live(
    const kube::ClientConfig& config,
    const WhyQuestion& question,
    const ScheduleConfiguration& configuration,
    bool offline
);

/// Explains the workload from objects. Errors: NotFound, Invalid.
Result<WhyAnswer> explain_offline(
    ScheduleCluster cluster,
    const WhyQuestion& question,
    const ScheduleConfiguration& configuration,
    Time now
);

}  // namespace sluice::commands
