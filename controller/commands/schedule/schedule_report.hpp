// The result of `sluice schedule`: decisions per cycle, and why workloads wait.
#pragma once

#include "api/kueue/workload.hpp"
#include "workload/explanation/explanation.hpp"
#include "workload/translation/references.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Names of workloads are "namespace/name".
namespace sluice::commands {

struct AdmittedWorkload {
    std::string workload;
    std::string cluster_queue;
    api::Admission admission;
    std::vector<std::int32_t> pods;  ///< in each podSet of the workload; fewer may be admitted
    bool borrows = false;
    std::string replaces;  ///< the replaced slice, which finishes; or empty
};

struct PreemptedWorkload {
    std::string workload;
    std::string cluster_queue;
    std::string reason;
    std::string preemptor;
};

struct RefusedWorkload {
    std::string workload;
    std::string cluster_queue;
    std::string reason;
    std::string message;
    bool blocked_on_gates = false;  ///< by preemption gates
    std::string requeued;           ///< "active", "inadmissible", or empty if it was dropped
    std::vector<workload::Constraint> constraints;
    std::string words;  ///< explanation for people; empty if `message` is enough
};

/// The outcome of a head that held quota already.
struct SecondPassWorkload {
    std::string workload;
    std::string cluster_queue;
    std::string result;  ///< "assigned", "evicted" or "failed"
    std::string reason;
    std::string message;
    std::optional<api::Admission> admission;  ///< if it was assigned
    std::string words;                        ///< as for RefusedWorkload
};

struct CycleReport {
    std::uint64_t cycle = 0;
    std::vector<AdmittedWorkload> admitted;
    std::vector<PreemptedWorkload> preempted;
    std::vector<RefusedWorkload> refused;
    std::vector<SecondPassWorkload> second_passes;

    /// Returns true if the cycle changed nothing: a second pass that fails changes nothing.
    bool is_idle() const {
        return admitted.empty() && preempted.empty() &&
               std::ranges::all_of(second_passes, [](const SecondPassWorkload& pass) {
                   return pass.result == "failed";
               });
    }
};

/// Pending workloads by ClusterQueue, in service order, without ClusterQueues that have none.
struct QueueReport {
    std::map<std::string, std::vector<std::string>> active;
    std::map<std::string, std::vector<std::string>> inadmissible;

    friend bool operator==(const QueueReport&, const QueueReport&) = default;
};

/// Pending workloads that wait for the same reason and that no cycle of the report mentions.
struct WaitingWorkloads {
    std::string cluster_queue;  ///< empty if it is not known
    std::string reason;
    std::string details;
    bool is_only_turn = false;  ///< they wait only because others are first
    std::vector<std::string> workloads;
};

struct ScheduleReport {
    std::vector<CycleReport> cycles;
    QueueReport queues;                                  ///< after the last cycle
    std::map<std::string, workload::Activity> inactive;  ///< ClusterQueues
    std::vector<WaitingWorkloads> waiting;               ///< workloads in no queue are last
    std::size_t skipped = 0;                             ///< bad objects that were skipped
    std::vector<std::string> notes;
};

}  // namespace sluice::commands
