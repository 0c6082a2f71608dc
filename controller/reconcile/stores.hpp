// Lookups in the stores of watched objects, by queue, flavor and other references.
#pragma once

#include "api/core/core.hpp"
#include "api/core/job.hpp"
#include "api/kueue/admission_check.hpp"
#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/cohort.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/kueue/priority_class.hpp"
#include "api/kueue/resource_flavor.hpp"
#include "api/kueue/topology.hpp"
#include "api/kueue/workload.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "kube/runtime/stores.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// The watched state of the API server, with lookups by reference. Each lookup needs the index of
/// its kind (add_indexes()). Lifetime of a result: until the store changes.
namespace sluice::controller {

using kube::Stores;

/// Adds the indexes that the lookups below need.
void add_indexes(kube::Store<api::Workload>& workloads);
void add_indexes(kube::Store<api::LocalQueue>& queues);
void add_indexes(kube::Store<api::ClusterQueue>& queues);

/// The index of the jobs of every kind by the label that names their WorkloadPriorityClass.
inline constexpr std::string_view kPriorityClassIndex = "priority_class";
/// Returns the job's value in that index; empty without the label.
std::vector<std::string> priority_class_of(const api::ObjectMeta& job);

/// The index of the jobs of every kind by the prebuilt Workload that they name.
inline constexpr std::string_view kPrebuiltWorkloadIndex = "prebuilt_workload";
/// Returns the job's values in that index, "namespace/name", from its annotation and its label.
std::vector<std::string> prebuilt_workloads_of(const api::ObjectMeta& job);

/// The index of the jobs of every kind by the object that controls them.
inline constexpr std::string_view kChildIndex = "child";
/// Returns the job's value in that index, the uid of its controller; empty without a controller.
std::vector<std::string> controller_uid_of(const api::ObjectMeta& job);

/// The index of pods by the chain of slices, or the Workload, that they belong to.
inline constexpr std::string_view kSliceIndex = "slice";

/// Returns the Workloads that name the LocalQueue.
const kube::Store<api::Workload>::Objects& workloads_of_queue(
    const Stores& stores, std::string_view ns, std::string_view queue
);
/// Returns the Workloads with an admission by the ClusterQueue.
const kube::Store<api::Workload>::Objects& workloads_admitted_by(
    const Stores& stores, const std::string& cluster_queue
);
/// Returns the Workloads that refer to the WorkloadPriorityClass.
const kube::Store<api::Workload>::Objects& workloads_of_priority_class(
    const Stores& stores, const std::string& name
);
/// Returns the Workloads that are to replace that slice of an elastic job.
const kube::Store<api::Workload>::Objects& workloads_replacing(
    const Stores& stores, std::string_view ns, std::string_view slice
);
/// Returns the LocalQueues that point to the ClusterQueue.
const kube::Store<api::LocalQueue>::Objects& local_queues_of(
    const Stores& stores, const std::string& cluster_queue
);
/// Returns the ClusterQueues that have quota of the flavor.
const kube::Store<api::ClusterQueue>::Objects& cluster_queues_of_flavor(
    const Stores& stores, const std::string& flavor
);
/// Returns the ClusterQueues that require the admission check.
const kube::Store<api::ClusterQueue>::Objects& cluster_queues_of_check(
    const Stores& stores, const std::string& check
);

/// Returns the value of a label or annotation, or "".
std::string_view find_value(const std::map<std::string, std::string>& map, std::string_view key);

}  // namespace sluice::controller
