#pragma once

#include "api/admission_check.hpp"
#include "api/cluster_queue.hpp"
#include "api/cohort.hpp"
#include "api/core.hpp"
#include "api/local_queue.hpp"
#include "api/resource_flavor.hpp"
#include "api/topology.hpp"
#include "api/workload.hpp"

#include <vector>

namespace sluice::commands {

/// The objects that `sluice schedule` decides on, each kind in input order.
struct ScheduleCluster {
    std::vector<api::Namespace> namespaces;
    std::vector<api::LimitRange> limit_ranges;
    std::vector<api::RuntimeClass> runtime_classes;
    std::vector<api::AdmissionCheck> admission_checks;
    std::vector<api::Topology> topologies;
    std::vector<api::ResourceFlavor> flavors;
    std::vector<api::Cohort> cohorts;
    std::vector<api::ClusterQueue> cluster_queues;
    std::vector<api::LocalQueue> local_queues;
    std::vector<api::Workload> workloads;
};

}  // namespace sluice::commands
