#include "controller/reconcilers/workload_slices.hpp"

#include "controller/reconcile/workload_status.hpp"
#include "workload/translation/slices.hpp"

namespace sluice::controller {

namespace {

/// Returns true if `replacement` took the place of `slice`. Slices of one job replace each other in
/// any ClusterQueues. Workloads without a job do so only within one ClusterQueue, because only
/// there the scheduler counts the quota of one as free for the other.
bool took_place_of(const api::Workload& replacement, const api::Workload& slice) {
    const auto& given = slice.status.admission;
    const auto& taken = replacement.status.admission;
    const bool share_queue = given && taken && given->cluster_queue == taken->cluster_queue;
    return (share_queue || slice.metadata.controller_owner() != nullptr) &&
           workload::may_replace(replacement, slice);
}

}  // namespace

std::shared_ptr<const api::Workload> find_replacement_of_slice(
    const Stores& stores, const Settings& settings, const api::Workload& slice
) {
    if (!settings.elastic_jobs || !has_quota_reserved(slice) || is_finished(slice)) {
        return nullptr;
    }
    const api::ObjectMeta& metadata = slice.metadata;
    for (const auto& [key, other] :
         workloads_replacing(stores, metadata.namespace_, metadata.name)) {
        const bool stays = !is_evicted(*other) && !other->metadata.deletion_timestamp;
        // Until the admission checks of the larger slice are ready, the job runs on the smaller
        // one.
        if (is_admitted(*other) && !is_finished(*other) && stays && took_place_of(*other, slice)) {
            return other;
        }
    }
    return nullptr;
}

}  // namespace sluice::controller
