#include "controller/jobs/job/job_ancestors.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::controller {

namespace {

constexpr int kDepthMax = 10;

bool says_elastic(const api::ObjectMeta* job) {
    return job != nullptr && find_value(job->annotations, api::annotation::kElasticJob) == "true";
}

std::optional<KindAbove> find_kind_of(const JobKinds& kinds, const api::OwnerReference* owner) {
    return owner == nullptr ? std::nullopt
                            : kinds.find_above(kube::group_of(owner->api_version), owner->kind);
}

}  // namespace

bool asks_to_be_managed(const api::ObjectMeta& job, const Settings& settings) {
    return !find_value(job.labels, api::label::kQueueName).empty() ||
           settings.manage_jobs_without_queue_name;
}

bool is_owned_by_job(const JobKinds& kinds, const Stores& stores, const api::ObjectMeta& job) {
    const api::ObjectMeta* at = &job;
    for (int depth = 0; depth <= kDepthMax; ++depth) {
        const api::OwnerReference* owner = at->controller_owner();
        const auto above = find_kind_of(kinds, owner);
        if (!above || above->ancestor_role == AncestorRole::Managed) {
            return above.has_value();
        }
        at = stores.find_metadata({above->kind, job.namespace_, owner->name});
        if (at == nullptr) {
            return true;
        }
        if (at->uid != owner->uid) {
            return false;
        }
    }
    return true;
}

std::shared_ptr<const api::Workload> find_counting_workload(
    const Stores& stores, const ObjectKey& job
) {
    return find_newest(
        workloads_of_owner(stores, job),
        SameAge::FirstName,
        [](const api::Workload& workload) { return !is_finished(workload); }
    );
}

JobResult<std::optional<ObjectKey>> find_managed_ancestor(
    const JobKinds& kinds,
    const Stores& stores,
    const Settings& settings,
    const api::ObjectMeta& job
) {
    std::optional<ObjectKey> topmost;
    std::optional<ObjectKey> next_below;  ///< the previous value of `topmost`
    bool is_pod = false;                  ///< the walk has reached an owner, which is a pod
    const api::ObjectMeta* at = &job;
    for (int depth = 0; depth <= kDepthMax; ++depth) {
        const api::OwnerReference* owner = at->controller_owner();
        const auto above = find_kind_of(kinds, owner);
        if (!above) {
            return topmost;
        }
        if (is_pod && !above->counts_pods_of_pods) {
            return topmost;
        }
        is_pod = above->kind == kind_of<api::Pod>();
        const ObjectKey key{above->kind, job.namespace_, owner->name};
        const api::ObjectMeta* below = at;
        at = stores.find_metadata(key);
        if (at == nullptr) {
            if (below != &job && below->deletion_timestamp) {
                const bool counts = topmost && find_counting_workload(stores, *topmost) != nullptr;
                return counts ? topmost : next_below;  // it outlives its owner to clean up
            }
            return JobProblem{
                JobProblem::Reason::OwnerNotFound,
                fmt::format("workload owner not found: {} {}", owner->kind, owner->name)
            };
        }
        if (at->uid != owner->uid) {
            return topmost;
        }
        // A pod's Workload counts only that pod.
        const bool may_count = !is_pod;
        if (above->ancestor_role == AncestorRole::Managed && may_count &&
            asks_to_be_managed(*at, settings)) {
            next_below = std::exchange(topmost, key);
        }
    }
    return JobProblem{
        JobProblem::Reason::NestingTooDeep,
        fmt::format(
            "Terminated search for Kueue-managed Job because ancestor depth exceeded limit of {}",
            kDepthMax
        )
    };
}

bool may_run_below(
    const Stores& stores,
    const Settings& settings,
    const ObjectKey& parent,
    const api::ObjectMeta& child
) {
    const auto newest = find_counting_workload(stores, parent);
    if (!newest) {
        return false;
    }
    if (settings.elastic_jobs &&
        (says_elastic(&child) || says_elastic(stores.find_metadata(parent)))) {
        const api::Condition* evicted = find_condition(*newest, api::condition::kEvicted);
        return evicted == nullptr || evicted->status != api::condition_status::kTrue;
    }
    return is_admitted(*newest);
}

}  // namespace sluice::controller
