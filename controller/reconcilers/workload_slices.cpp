#include "controller/reconcilers/workload_slices.hpp"

#include "api/kueue_names.hpp"
#include "controller/reconcilers/workload_status.hpp"

namespace sluice::controller {

namespace {

/// The scheduler gives a slice's place away within its ClusterQueue; elsewhere the annotation
/// counts among the Workloads of one job.
bool may_take_place(const api::Workload& replacement, const api::Workload& slice) {
    const auto& given = slice.status.admission;
    const auto& taken = replacement.status.admission;
    const api::OwnerReference* job = slice.metadata.controller_owner();
    const api::OwnerReference* other_job = replacement.metadata.controller_owner();
    return (given && taken && given->cluster_queue == taken->cluster_queue) ||
           (job != nullptr && other_job != nullptr && job->uid == other_job->uid);
}

/// Of a Job that is not elastic all Workloads but one are on their way out.
bool may_have_slices(const Stores& stores, const Settings& settings, const api::Workload& slice) {
    const api::OwnerReference* owner = slice.metadata.controller_owner();
    const auto kind = owner == nullptr
                          ? std::nullopt
                          : stores.find_kind(kube::group_of(owner->api_version), owner->kind);
    const api::ObjectMeta* job =
        kind ? stores.find_metadata({*kind, slice.metadata.namespace_, owner->name}) : nullptr;
    return settings.elastic_jobs &&
           (job == nullptr || find_value(job->annotations, api::annotation::kElasticJob) == "true");
}

}  // namespace

std::shared_ptr<const api::Workload> find_replacement_of_slice(
    const Stores& stores, const Settings& settings, const api::Workload& slice
) {
    if (!has_quota_reserved(slice) || is_finished(slice) ||
        !may_have_slices(stores, settings, slice)) {
        return nullptr;
    }
    const api::ObjectMeta& metadata = slice.metadata;
    for (const auto& [key, other] :
         workloads_replacing(stores, metadata.namespace_, metadata.name)) {
        const bool is_other = key.namespace_ == metadata.namespace_ && key.name != metadata.name;
        const bool stays = !is_evicted(*other) && !other->metadata.deletion_timestamp;
        if (is_other && holds_quota(*other) && stays && may_take_place(*other, slice)) {
            return other;
        }
    }
    return nullptr;
}

}  // namespace sluice::controller
