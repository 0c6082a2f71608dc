// The result of `sluice schedule`: decisions per cycle, and why workloads wait.
#pragma once

#include "api/kueue/workload.hpp"
#include "workload/explanation/explanation.hpp"
#include "workload/translation/references.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
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

struct CycleReport {
    std::uint64_t cycle = 0;
    std::vector<AdmittedWorkload> admitted;
    std::vector<PreemptedWorkload> preempted;
    std::vector<RefusedWorkload> refused;

    bool is_idle() const { return admitted.empty() && preempted.empty(); }
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
