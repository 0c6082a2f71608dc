#pragma once

#include "api/kueue/workload.hpp"
#include "workload/explanation/explanation.hpp"
#include "workload/translation/references.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// What `sluice schedule` found out, in words. Workloads are named "namespace/name".
namespace sluice::commands {

struct AdmittedWorkload {
    std::string workload;
    std::string cluster_queue;
    api::Admission admission;
    std::vector<std::int32_t> pods;  ///< that its podSets have, of which fewer may be admitted
    bool borrows = false;
    std::string replaces;  ///< the slice whose place it takes, which ends; "": none
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
    bool blocked_on_gates = false;  ///< of preemption
    std::string requeued;           ///< "active", "inadmissible" or "" when it was dropped
    std::vector<workload::Constraint> constraints;
    std::string words;  ///< the same for people; "": the message says it
};

struct CycleReport {
    std::uint64_t cycle = 0;
    std::vector<AdmittedWorkload> admitted;
    std::vector<PreemptedWorkload> preempted;
    std::vector<RefusedWorkload> refused;

    bool is_idle() const { return admitted.empty() && preempted.empty(); }
};

/// Pending workloads by ClusterQueue, in service order; queues without any are left out.
struct QueueReport {
    std::map<std::string, std::vector<std::string>> active;
    std::map<std::string, std::vector<std::string>> inadmissible;

    friend bool operator==(const QueueReport&, const QueueReport&) = default;
};

/// Pending workloads that wait for the same, of which no cycle of the report speaks.
struct WaitingWorkloads {
    std::string cluster_queue;  ///< "" where it is not known
    std::string reason;
    std::string details;
    bool is_only_turn = false;  ///< nothing keeps them back but that others come first
    std::vector<std::string> workloads;
};

struct ScheduleReport {
    std::vector<CycleReport> cycles;
    QueueReport queues;                                  ///< after the last cycle
    std::map<std::string, workload::Activity> inactive;  ///< ClusterQueues
    std::vector<WaitingWorkloads> waiting;               ///< those in no queue come last
    std::size_t skipped = 0;                             ///< bad objects that were left out
    std::vector<std::string> notes;
};

}  // namespace sluice::commands
