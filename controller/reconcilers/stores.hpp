#pragma once

#include "api/admission_check.hpp"
#include "api/cohort.hpp"
#include "api/core.hpp"
#include "api/job.hpp"
#include "api/local_queue.hpp"
#include "api/priority_class.hpp"
#include "api/resource_flavor.hpp"
#include "api/topology.hpp"
#include "api/workload.hpp"
#include "controller/reconcilers/reconcile.hpp"
#include "kube/runtime/store.hpp"

#include <string>
#include <string_view>

namespace sluice::controller {

/// What the API server said about every kind that the controller watches. Reflectors write it, all
/// else reads it.
struct Stores {
    Stores();

    kube::Store<api::ClusterQueue> cluster_queues;
    kube::Store<api::LocalQueue> local_queues;
    kube::Store<api::ResourceFlavor> resource_flavors;
    kube::Store<api::Cohort> cohorts;
    kube::Store<api::WorkloadPriorityClass> workload_priority_classes;
    kube::Store<api::Workload> workloads;
    kube::Store<api::AdmissionCheck> admission_checks;
    kube::Store<api::Topology> topologies;
    kube::Store<api::Job> jobs;
    kube::Store<api::Namespace> namespaces;
    kube::Store<api::LimitRange> limit_ranges;
    kube::Store<api::RuntimeClass> runtime_classes;
    kube::Store<api::PriorityClass> priority_classes;

    /// The metadata of any object, or nullptr. Lifetime: until the store changes.
    const api::ObjectMeta* find_metadata(const ObjectKey& key) const;

    /// Workloads whose controller is the batch/v1 Job of that name (whatever its uid).
    const kube::Store<api::Workload>::Objects& workloads_of_job(
        std::string_view ns, std::string_view job
    ) const;
    /// Workloads that name the LocalQueue.
    const kube::Store<api::Workload>::Objects& workloads_of_queue(
        std::string_view ns, std::string_view queue
    ) const;
    /// Workloads with an admission by the ClusterQueue.
    const kube::Store<api::Workload>::Objects& workloads_admitted_by(
        const std::string& cluster_queue
    ) const;
    /// Workloads that refer to the WorkloadPriorityClass.
    const kube::Store<api::Workload>::Objects& workloads_of_priority_class(const std::string& name
    ) const;
    /// Workloads that are to take the place of that slice of an elastic job.
    const kube::Store<api::Workload>::Objects& workloads_replacing(
        std::string_view ns, std::string_view slice
    ) const;
    /// LocalQueues that point to the ClusterQueue.
    const kube::Store<api::LocalQueue>::Objects& local_queues_of(const std::string& cluster_queue
    ) const;
    /// ClusterQueues that have quota of the flavor.
    const kube::Store<api::ClusterQueue>::Objects& cluster_queues_of_flavor(
        const std::string& flavor
    ) const;
    /// ClusterQueues that ask for the admission check.
    const kube::Store<api::ClusterQueue>::Objects& cluster_queues_of_check(const std::string& check
    ) const;
    /// Jobs with the label of that WorkloadPriorityClass.
    const kube::Store<api::Job>::Objects& jobs_of_priority_class(const std::string& name) const;
};

/// The value of a label or annotation, or "".
std::string_view find_value(const std::map<std::string, std::string>& map, std::string_view key);

}  // namespace sluice::controller
