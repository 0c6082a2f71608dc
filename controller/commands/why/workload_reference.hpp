// Finds the Workload that an argument such as job/train means.
#pragma once

#include "api/kueue/workload.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::commands {

/// An argument of the command line: "train", "job/train", "pod/train-0" or "workload/job-train-x".
struct WorkloadReference {
    std::string kind;  ///< in lower case; empty if not given
    std::string name;
};

WorkloadReference parse_reference(std::string_view text);

/// Returns the Workloads that the reference may mean: that of the name, those of an owner with that
/// kind and name, and, without a kind, both. Kinds may be plural, such as "jobs".
std::vector<const api::Workload*> find_referenced(
    const WorkloadReference& reference, const std::vector<const api::Workload*>& workloads
);

/// Returns the known names closest to that of the reference, of owners and Workloads.
std::string suggest_reference(
    const WorkloadReference& reference, const std::vector<const api::Workload*>& workloads
);

/// Returns how a user names the Workload: "job/train" by its owner, else "workload/<name>".
std::string print_reference(const api::Workload& workload);

}  // namespace sluice::commands
