// Finds topology assignments that leave pods without a domain or that no node can follow.
#pragma once

#include "workload/capacity/capacity_report.hpp"

#include <string>
#include <vector>

namespace sluice::workload {

/// A fault in the topologyAssignments of a Workload that holds quota.
struct AssignmentFault {
    std::string workload;  ///< "namespace/name"
    std::string words;     ///< of all its podSets
};

/// Finds them among the input's Workloads that hold quota. Slices that do not divide the pods leave
/// some without a domain; Kueue admits these pods, too. An assignment that was written by hand may
/// be for another number of pods, for levels that the flavor's Topology lacks, or for a rack that
/// no node is in. An elastic job that has shrunk may keep its domains. *Cost*: O(domains of
/// assignments), and O(nodes) for each topology without hosts.
std::vector<AssignmentFault> find_assignment_faults(const CapacityInput& input);

}  // namespace sluice::workload
