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

/// What the API server said, found by what it refers to. Each function needs the index of its kind
/// (add_indexes); what it returns lives until the store changes.
namespace sluice::controller {

using kube::Stores;

/// Prepares a kind's store for the functions below.
void add_indexes(kube::Store<api::Workload>& workloads);
void add_indexes(kube::Store<api::LocalQueue>& queues);
void add_indexes(kube::Store<api::ClusterQueue>& queues);

/// The index of every kind of job by the label of its WorkloadPriorityClass.
inline constexpr std::string_view kPriorityClassIndex = "priority_class";
/// The value of an object in that index; none without the label.
std::vector<std::string> priority_class_of(const api::ObjectMeta& job);

/// The index of every kind of job by the Workload that was made for it beforehand.
inline constexpr std::string_view kPrebuiltWorkloadIndex = "prebuilt_workload";
/// The values of an object in that index, "namespace/name": what label and annotation name.
std::vector<std::string> prebuilt_workloads_of(const api::ObjectMeta& job);

/// The index of every kind of job by the object that controls it.
inline constexpr std::string_view kChildIndex = "child";
/// The value of an object in that index, the uid of its controller; none: nothing controls it.
std::vector<std::string> controller_uid_of(const api::ObjectMeta& job);

/// The index of pods by the row of slices, or the Workload, that they belong to.
inline constexpr std::string_view kSliceIndex = "slice";

/// Workloads whose controller is the object of that kind and name (whatever its uid).
const kube::Store<api::Workload>::Objects& workloads_of_owner(
    const Stores& stores, const ObjectKey& owner
);
/// Workloads that the object of that kind and name owns without controlling them.
const kube::Store<api::Workload>::Objects& workloads_of_member_owner(
    const Stores& stores, Kind kind, std::string_view ns, std::string_view name
);
/// Workloads that name the LocalQueue.
const kube::Store<api::Workload>::Objects& workloads_of_queue(
    const Stores& stores, std::string_view ns, std::string_view queue
);
/// Workloads with an admission by the ClusterQueue.
const kube::Store<api::Workload>::Objects& workloads_admitted_by(
    const Stores& stores, const std::string& cluster_queue
);
/// Workloads that refer to the WorkloadPriorityClass.
const kube::Store<api::Workload>::Objects& workloads_of_priority_class(
    const Stores& stores, const std::string& name
);
/// Workloads that are to take the place of that slice of an elastic job.
const kube::Store<api::Workload>::Objects& workloads_replacing(
    const Stores& stores, std::string_view ns, std::string_view slice
);
/// LocalQueues that point to the ClusterQueue.
const kube::Store<api::LocalQueue>::Objects& local_queues_of(
    const Stores& stores, const std::string& cluster_queue
);
/// ClusterQueues that have quota of the flavor.
const kube::Store<api::ClusterQueue>::Objects& cluster_queues_of_flavor(
    const Stores& stores, const std::string& flavor
);
/// ClusterQueues that ask for the admission check.
const kube::Store<api::ClusterQueue>::Objects& cluster_queues_of_check(
    const Stores& stores, const std::string& check
);

/// The value of a label or annotation, or "".
std::string_view find_value(const std::map<std::string, std::string>& map, std::string_view key);

}  // namespace sluice::controller
