// The decoded objects that `sluice schedule` decides on.
#pragma once

#include "api/core/core.hpp"
#include "api/core/pod.hpp"
#include "api/kueue/admission_check.hpp"
#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/cohort.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/kueue/priority_class.hpp"
#include "api/kueue/resource_flavor.hpp"
#include "api/kueue/topology.hpp"
#include "api/kueue/workload.hpp"

#include <deque>

namespace sluice::commands {

/// The objects of a kind. A deque, because there may be very many, and they must not move as more
/// are added.
template <class T>
using Objects = std::deque<T>;

/// The objects that `sluice schedule` decides on, each kind in input order.
struct ScheduleCluster {
    Objects<api::Namespace> namespaces;
    Objects<api::LimitRange> limit_ranges;
    Objects<api::RuntimeClass> runtime_classes;
    Objects<api::AdmissionCheck> admission_checks;
    Objects<api::Topology> topologies;
    Objects<api::ResourceFlavor> flavors;
    Objects<api::Node> nodes;
    Objects<api::Pod> pods;
    Objects<api::Cohort> cohorts;
    Objects<api::ClusterQueue> cluster_queues;
    Objects<api::LocalQueue> local_queues;
    Objects<api::WorkloadPriorityClass> priority_classes;  ///< no decision reads them
    Objects<api::Workload> workloads;
};

}  // namespace sluice::commands
