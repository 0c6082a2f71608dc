// The subtree of a cohort, and changes of Cohorts that concern a cycle of parents.
#pragma once

#include "controller/reconcile/stores.hpp"

#include <set>
#include <string>
#include <vector>

/// The cohorts and ClusterQueues below a cohort, by their specs.
namespace sluice::controller {

/// A cohort with everything below it; a cohort counts even if no Cohort object exists for it.
struct CohortTree {
    std::set<std::string> cohorts;
    std::vector<std::string> cluster_queues;
};

/// Returns the cohort and everything below it. Cost: reads all Cohorts and ClusterQueues.
CohortTree find_cohort_tree(const Stores& stores, const std::string& cohort);

/// Returns true if the change gives the cohort another parent and its parents form a cycle before
/// or after the change. Cost: the depth of the cohort.
bool concerns_cycle(const Stores& stores, const kube::Change<api::Cohort>& change);

}  // namespace sluice::controller
