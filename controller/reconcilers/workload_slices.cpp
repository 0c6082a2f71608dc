#include "controller/reconcilers/workload_slices.hpp"

#include "controller/reconcile/workload_status.hpp"
#include "workload/translation/slices.hpp"

namespace sluice::controller {

namespace {

/// Slices of one job give way in whatever ClusterQueue they are. Workloads without a job do so if
/// the scheduler counted one as free for the other, which it does within one ClusterQueue.
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
        // Until its admission checks are ready the job runs on the smaller slice.
        if (is_admitted(*other) && !is_finished(*other) && stays && took_place_of(*other, slice)) {
            return other;
        }
    }
    return nullptr;
}

}  // namespace sluice::controller
