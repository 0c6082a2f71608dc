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

/// Where a job stands, by its Workload.
enum class JobState : std::uint8_t { Missing, Pending, QuotaReserved, Admitted, Finished };
std::string_view to_string(JobState state);

/// What `sluice test --expect` says of one job.
struct JobExpectation {
    std::string job;       ///< namespace/name of the object that owns the Workload; or:
    std::string workload;  ///< namespace/name of the Workload itself
    std::string kind;      ///< of the owner; "": any
    std::optional<JobState> state;
    std::string cluster_queue;
    std::map<std::string, std::string> flavors;  ///< by resource, in each podSet that has it
    std::optional<bool> preempted;               ///< since it was created
    std::string message;                         ///< a part of what its condition says
};

/// What it says of one ClusterQueue.
struct QueueExpectation {
    std::string name;
    std::optional<std::int32_t> pending;
    std::optional<std::int32_t> reserving;
    std::optional<std::int32_t> admitted;
    /// status.flavorsUsage, by flavor and resource.
    std::map<std::string, std::map<std::string, api::Quantity>> usage;
};

/// What it says of an object that the API server must not take.
struct RefusalExpectation {
    std::string kind;
    std::string name;     ///< with the namespace before it, where it has one
    std::string message;  ///< a part of the refusal
};

struct Expectations {
    std::vector<JobExpectation> jobs;
    std::vector<QueueExpectation> cluster_queues;
    std::vector<RefusalExpectation> refused;
};

/// Reads a document of expectations. Errors: Invalid with the paths of all that is wrong.
Result<Expectations> read_expectations(const json::Value& document);

/// An object that the API server refused, and why.
struct Refusal {
    std::string kind;
    std::string name;  ///< with the namespace before it, where it has one
    std::string message;
    std::string place;  ///< where it stands in the user's files
};

/// One expectation and what became of it.
struct Verdict {
    std::string name;     ///< what was expected, in words
    std::string failure;  ///< what is otherwise; "": nothing
};

/// Compares expectations with the objects of a cluster. A refusal that is not expected fails, too.
/// `applied`: the names of all objects that were applied, as full_name() has them; a job that is
/// expected to be Missing must be one of them, or have its name from one that is there.
std::vector<Verdict> judge(
    const Expectations& expectations,
    const apiserver::Store& store,
    const std::vector<Refusal>& refusals,
    const std::set<std::string>& applied
);

/// A line about the pods that no node has room for, if there are any.
std::string describe_waiting_pods(const apiserver::Store& store);
/// A line for each Workload: its owner, queue, state and what its condition says.
std::string describe_workloads(const apiserver::Store& store);

}  // namespace sluice::commands
