#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/jobs/reconciliation/job_reconciliation.hpp"
#include "controller/jobs/reconciliation/workload_of_job.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

// Steps of JobReconciliation that fit the slices of an elastic job to its size (KEP-77).
namespace sluice::controller {

namespace {

using PodSets = std::vector<api::PodSet>;

bool are_names_equal(const PodSets& a, const PodSets& b) {
    return std::ranges::equal(a, b, {}, &api::PodSet::name, &api::PodSet::name);
}

bool are_counts_equal(const PodSets& a, const PodSets& b) {
    return std::ranges::equal(a, b, {}, &api::PodSet::count, &api::PodSet::count);
}

/// Returns true if some pod set has fewer pods and none has more. Requires: as many pod sets.
bool is_smaller(const PodSets& wanted, const PodSets& present) {
    return !are_counts_equal(wanted, present) &&
           std::ranges::equal(
               wanted, present, std::ranges::less_equal(), &api::PodSet::count, &api::PodSet::count
           );
}

}  // namespace

/// Releases the quota of evicted slices before new quota is requested. If a larger slice cannot be
/// created, the job must not run on quota that it has lost.
JobReconciliation::Next JobReconciliation::release_evicted_slices() {
    if (is_prebuilt_ || !is_elastic(job_, settings_) || job_.find_end()) {
        return {};
    }
    const bool runs_on_another = std::ranges::any_of(own_, [](const WorkloadPointer& workload) {
        return is_admitted(*workload) && !is_evicted(*workload) && !is_finished(*workload) &&
               !workload->metadata.deletion_timestamp;
    });
    for (const WorkloadPointer& workload : own_) {
        if (is_finished(*workload) || !is_evicted(*workload) || !has_quota_reserved(*workload)) {
            continue;
        }
        workload_ = workload;
        Next releasing = runs_on_another ? write(released_quota()) : release_evicted();
        workload_.reset();
        if (releasing || has_active_pods(*workload)) {
            return releasing ? std::move(releasing) : Outcome{};
        }
    }
    return {};
}

/// Chooses the slice for the job's size. A job that shrinks, or that grows before its slice has
/// quota, changes its slice. A job that grows later gets a new slice, and runs on the old one until
/// the new one is admitted.
JobReconciliation::Next JobReconciliation::choose_slice() {
    if (is_prebuilt_ || !is_elastic(job_, settings_) || job_.find_end()) {
        return {};
    }
    const auto is_going = [](const WorkloadPointer& workload) {
        return workload->metadata.deletion_timestamp && !is_finished(*workload);
    };
    const LiveSlices slices = find_live_slices(own_);
    // No pod uses the quota of a slice whose suspended job waits for a larger slice.
    const bool is_idle = job_.is_suspended() && slices.reserved && slices.newest != slices.reserved;
    if (std::ranges::any_of(own_, is_going) || is_idle) {
        return {};
    }
    if (Next ending = end_slices(slices)) {
        return ending;
    }
    if (!slices.newest) {
        return {};
    }
    const auto wanted = job_.pod_sets();
    const PodSets& present = slices.newest->spec.pod_sets;
    if (!wanted || !are_names_equal(*wanted, present)) {
        return {};
    }
    const bool has_quota = has_quota_reserved(*slices.newest);
    if (are_counts_equal(*wanted, present)) {
        // The templates of a suspended job may change too.
        if (!job_.is_suspended() || is_equivalent(job_, *slices.newest, settings_)) {
            workload_ = slices.newest;
            kept_ = slices.reserved != slices.newest ? slices.reserved : nullptr;
        }
        return {};
    }
    if (!has_quota || is_smaller(*wanted, present)) {
        // Reclaimable pods come first: they refer to the old counts, and would free running pods.
        if (Next fewer = has_quota ? copy_reclaimable_pods(*slices.newest) : Next()) {
            return fewer;
        }
        return copy_pod_counts(*slices.newest, *wanted);
    }
    replaced_ = slices.newest;
    return {};
}

JobReconciliation::Next JobReconciliation::end_slices(const LiveSlices& slices) {
    for (const WorkloadPointer& workload : own_) {
        if (slices.newest && is_finished(*workload)) {
            if (Next drop = drop_finalizer(*workload)) {
                return drop;
            }
        }
    }
    for (const WorkloadPointer& workload : slices.replaced) {
        // A slice whose replacement has its quota is ended by the Workload's own reconciler.
        if (is_evicted(*workload) || !has_quota_reserved(*workload)) {
            return end_slice(
                *workload,
                api::reason::kWorkloadSliceReplaced,
                "Replaced to accommodate a new workload slice"
            );
        }
    }
    if (!slices.out_of_sync.empty()) {
        return end_slice(
            *slices.out_of_sync.front(),
            api::reason::kOutOfSync,
            "The workload slice is out of sync with its parent job"
        );
    }
    return {};
}

/// Ends a slice. This releases the quota of an evicted slice, so its pods must end first.
JobReconciliation::Next JobReconciliation::end_slice(
    const api::Workload& slice, std::string_view reason, std::string_view message
) {
    if (is_evicted(slice) && has_quota_reserved(slice)) {
        const api::Condition& evicted = *find_condition(slice, api::condition::kEvicted);
        if (Next stopping = stop(&slice, evicted.message)) {
            return stopping;
        }
        if (has_active_pods(slice)) {
            return Outcome{};
        }
    }
    return finish_workload_with(slice, reason, message);
}

JobReconciliation::Next JobReconciliation::copy_pod_counts(
    const api::Workload& slice, const PodSets& wanted
) {
    PodSets changed = slice.spec.pod_sets;
    for (std::size_t i = 0; i < changed.size(); ++i) {
        changed[i].count = wanted[i].count;
    }
    json::Array pod_sets;
    for (const api::PodSet& pod_set : changed) {
        pod_sets.push_back(api::to_value(pod_set));
    }
    return write(workload_patch(
        slice, json::Object{{"spec", json::Object{{"podSets", std::move(pod_sets)}}}}
    ));
}

}  // namespace sluice::controller
