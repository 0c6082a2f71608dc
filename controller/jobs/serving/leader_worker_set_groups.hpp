// Reconciles LeaderWorkerSets: a Workload for the pods of each replica.
#pragma once

#include "api/kueue/workload.hpp"
#include "api/meta/dynamic_object.hpp"
#include "base/error.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/reconcile/view.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// LeaderWorkerSets: the pods of each replica, a leader and its workers, are a group with its own
/// Workload.
namespace sluice::controller {

/// Returns the next action for the LeaderWorkerSet of that name. If it is gone, ungates the pods
/// that remain.
Outcome reconcile_leader_worker_set(
    const View& view, const JobKinds& kinds, const kube::NamespacedName& name, Time now
);

/// A pod set of each replica, with the name of its template in the LeaderWorkerSet.
struct ReplicaPodSet {
    std::string name;
    std::int64_t count = 1;
    std::string template_name;  ///< leaderTemplate or workerTemplate
    const json::Value* pod_template = nullptr;
};

/// Returns the pod sets of each replica. Lifetime: they refer to the object.
std::vector<ReplicaPodSet> replica_pod_sets(const json::Value& leader_worker_set);

/// Returns how many replicas the LeaderWorkerSet wants.
std::int64_t replicas_of_set(const json::Value& leader_worker_set);
/// Returns how many pods each replica has.
std::int64_t replica_size_of(const json::Value& leader_worker_set);

}  // namespace sluice::controller
