#pragma once

#include "controller/reconcile/stores.hpp"

#include <set>
#include <string>
#include <vector>

/// Which cohorts and ClusterQueues are below a cohort, as their specs say.
namespace sluice::controller {

/// A cohort with all that is below it; cohorts count whether or not they have an object.
struct CohortTree {
    std::set<std::string> cohorts;
    std::vector<std::string> cluster_queues;
};

/// What is at or below the cohort. Cost: all Cohorts and ClusterQueues are read.
CohortTree find_cohort_tree(const Stores& stores, const std::string& cohort);

/// Whether the cohort's parents form a cycle after the change, or did before it. Cost: the depth of
/// the cohort.
bool concerns_cycle(const Stores& stores, const kube::Change<api::Cohort>& change);

}  // namespace sluice::controller
