// Sums the nominal quotas of queues, by flavor and resource.
#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/cohort.hpp"
#include "engine/types/amount.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sluice::workload {

/// Amounts by flavor and resource.
using FlavorAmounts = std::map<std::pair<std::string, std::string>, engine::Amount>;

/// The nominal quota of a ClusterQueue, or of a cohort with all that is below it.
struct QueueQuota {
    bool is_cohort = false;
    bool is_root = false;  ///< nothing above it has quota
    std::string name;
    FlavorAmounts nominal;
};

/// Returns the ClusterQueues by name, then the cohorts by name. In a cycle of parents, the first
/// name is the root.
std::vector<QueueQuota> sum_quotas(
    const std::vector<const api::ClusterQueue*>& queues,
    const std::vector<const api::Cohort*>& cohorts
);

}  // namespace sluice::workload
