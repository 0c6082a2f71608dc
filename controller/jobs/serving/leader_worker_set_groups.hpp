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

/// LeaderWorkerSets: the pods of each replica, a leader and its workers, are a group with a
/// Workload of its own.
namespace sluice::controller {

/// What is to be done about the LeaderWorkerSet of that name, and about pods of one that is gone.
Outcome reconcile_leader_worker_set(
    const View& view, const JobKinds& kinds, const kube::NamespacedName& name, Time now
);

/// A pod set of each replica, with the place of its template in a LeaderWorkerSet.
struct ReplicaPodSet {
    std::string name;
    std::int64_t count = 1;
    std::string template_name;  ///< leaderTemplate or workerTemplate
    const json::Value* pod_template = nullptr;
};

/// The pod sets of each replica. Lifetime: they refer to the object.
std::vector<ReplicaPodSet> replica_pod_sets(const json::Value& leader_worker_set);

/// How many replicas it is to have.
std::int64_t replicas_of_set(const json::Value& leader_worker_set);
/// How many pods each of them has.
std::int64_t replica_size_of(const json::Value& leader_worker_set);

}  // namespace sluice::controller
