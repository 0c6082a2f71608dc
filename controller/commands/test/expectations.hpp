// Expectations of `sluice test --expect`, and their comparison with a cluster.
#pragma once

#include "api/meta/quantity.hpp"
#include "apiserver/state/store.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::commands {

/// State of a job, by the conditions of its Workload.
enum class JobState : std::uint8_t { Missing, Pending, QuotaReserved, Admitted, Finished };
std::string_view to_string(JobState state);

/// One item of `jobs`: expected state of one job.
struct JobExpectation {
    std::string job;       ///< namespace/name of the object that owns the Workload; or `workload`
    std::string workload;  ///< namespace/name of the Workload itself
    std::string kind;      ///< of the owner; empty: any kind
    std::optional<JobState> state;
    std::string cluster_queue;
    std::map<std::string, std::string> flavors;  ///< by resource, in each podSet that requests it
    std::optional<bool> preempted;               ///< at any time since the Workload was created
    std::string message;                         ///< part of the message of its condition
};

/// One item of `clusterQueues`: expected status of one ClusterQueue.
struct QueueExpectation {
    std::string name;
    std::optional<std::int32_t> pending;
    std::optional<std::int32_t> reserving;
    std::optional<std::int32_t> admitted;
    /// status.flavorsUsage, by flavor and resource.
    std::map<std::string, std::map<std::string, api::Quantity>> usage;
};

/// One item of `refused`: an object that the API server must reject.
struct RefusalExpectation {
    std::string kind;
    std::string name;     ///< namespace/name, or only the name of a cluster-scoped object
    std::string message;  ///< part of the error
};

struct Expectations {
    std::vector<JobExpectation> jobs;
    std::vector<QueueExpectation> cluster_queues;
    std::vector<RefusalExpectation> refused;
};

/// Parses a document of expectations. Errors: Invalid, with the paths of all faults.
Result<Expectations> read_expectations(const json::Value& document);

/// An object that the API server rejected, with the reason.
struct Refusal {
    std::string kind;
    std::string name;  ///< namespace/name, or only the name of a cluster-scoped object
    std::string message;
    std::string place;  ///< file and line of its manifest
};

/// One expectation and its result.
struct Verdict {
    std::string name;     ///< the expectation in words
    std::string failure;  ///< the difference; empty if the expectation is met
};

/// Compares the expectations with the objects of a cluster. An unexpected refusal is a failure,
/// too. `applied` contains the names of all applied objects, as full_name() returns them; a job
/// that is expected to be Missing must be one of them, or share its name with an existing object.
std::vector<Verdict> judge(
    const Expectations& expectations,
    const apiserver::Store& store,
    const std::vector<Refusal>& refusals,
    const std::set<std::string>& applied
);

/// Returns a line about pods that fit on no node; otherwise an empty text.
std::string describe_waiting_pods(const apiserver::Store& store);
/// Returns one line per Workload: owner, queue, state, and the message of its condition.
std::string describe_workloads(const apiserver::Store& store);

}  // namespace sluice::commands
