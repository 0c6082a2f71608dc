#include "controller/jobs/reconciliation/job_slices.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/reconciliation/workload_of_job.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "workload/translation/slices.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace sluice::controller {

namespace {

bool has_gate(const api::PodTemplateSpec& pod_template) {
    const auto& gates = pod_template.spec.scheduling_gates;
    return std::ranges::find(
               gates, api::scheduling_gate::kElasticJob, &api::PodSchedulingGate::name
           ) != gates.end();
}

/// Returns true if the pods of the job are created with the gate of elastic jobs.
bool are_pods_gated(const GenericJob& job) {
    const auto wanted = job.pod_sets();
    return wanted && std::ranges::all_of(*wanted, [](const api::PodSet& pod_set) {
               return has_gate(*pod_set.template_);
           });
}

std::int32_t count_pods(const std::vector<api::PodSet>& pod_sets) {
    std::int32_t count = 0;
    for (const api::PodSet& pod_set : pod_sets) {
        count += pod_set.count;
    }
    return count;
}

/// Chooses a current slice if there would be none: all are finished, or they replace each other.
void choose_current(const GenericJob& job, const Settings& settings, Slices& slices) {
    for (auto* slice : {&slices.kept, &slices.leaving}) {
        if (*slice) {
            slices.current.push_back(std::exchange(*slice, nullptr));
        }
    }
    if (slices.current.empty()) {
        auto chosen = std::ranges::find_if(slices.ended, [&](const auto& workload) {
            return describes(job, *workload, settings);
        });
        if (chosen == slices.ended.end()) {
            chosen = std::prev(chosen);
        }
        slices.current.push_back(*chosen);
        slices.ended.erase(chosen);
    }
}

}  // namespace

bool describes(const GenericJob& job, const api::Workload& workload, const Settings& settings) {
    const api::Condition* finished = find_condition(workload, api::condition::kFinished);
    const bool has_left_row = finished != nullptr &&
                              finished->status == api::condition_status::kTrue &&
                              (finished->reason == api::reason::kWorkloadSliceReplaced ||
                               finished->reason == api::reason::kOutOfSync);
    return !has_left_row && is_equivalent(job, workload, settings);
}

LiveSlices find_live_slices(std::vector<Slices::WorkloadPointer> all) {
    std::erase_if(all, [](const auto& workload) { return is_finished(*workload); });
    std::ranges::sort(all, [](const auto& a, const auto& b) {
        return std::tie(a->metadata.creation_timestamp, a->metadata.uid) <
               std::tie(b->metadata.creation_timestamp, b->metadata.uid);
    });
    LiveSlices live;
    if (all.size() == 1) {
        live.newest = all.front();
        live.reserved = has_quota_reserved(*live.newest) ? live.newest : nullptr;
        return live;
    }
    // If two slices are to replace the same slice, the slice with a reservation counts.
    std::map<std::string, Slices::WorkloadPointer, std::less<>> replacements;
    for (const auto& workload : all) {
        // An evicted slice that holds no quota waits again.
        const std::string key = workload::replaced_slice(*workload);
        if (key.empty() || (is_evicted(*workload) && has_quota_reserved(*workload))) {
            continue;
        }
        Slices::WorkloadPointer& replacement = replacements[key];
        if (!replacement || (!has_quota_reserved(*replacement) && has_quota_reserved(*workload))) {
            replacement = workload;
        }
    }
    const auto replacement_of = [&](const api::Workload& workload) {
        const auto found = replacements.find(to_string(key_of(workload)));
        return found == replacements.end() ? nullptr : found->second;
    };
    for (const auto& workload : all) {
        if (is_evicted(*workload) && has_quota_reserved(*workload)) {
            continue;
        }
        live.newest = workload;
        const auto replacement = replacement_of(*workload);
        // While checks of a larger slice are pending, the job runs on the smaller slice.
        const bool is_ahead = is_admitted(*workload) || !live.reserved;
        if (has_quota_reserved(*workload) && is_ahead &&
            (!replacement || !is_admitted(*replacement))) {
            live.reserved = workload;
        }
    }
    if (live.reserved) {
        const auto waiting = replacement_of(*live.reserved);
        live.newest = waiting ? waiting : live.reserved;
    }
    for (const auto& workload : all) {
        if (workload != live.newest && workload != live.reserved) {
            (replacement_of(*workload) ? live.replaced : live.out_of_sync).push_back(workload);
        }
    }
    return live;
}

bool may_run_on(const GenericJob& job, const api::Workload& kept) {
    if (!is_admitted(kept)) {
        return false;
    }
    const auto wanted = job.pod_sets();
    return wanted && (count_pods(*wanted) <= count_pods(kept.spec.pod_sets) || are_pods_gated(job));
}

Slices sort_slices(
    const GenericJob& job, std::vector<Slices::WorkloadPointer> all, const Settings& settings
) {
    Slices slices;
    if (!is_elastic(job, settings) || all.size() < 2) {
        slices.current = std::move(all);
        return slices;
    }
    std::set<std::string, std::less<>> replaced;
    for (const auto& workload : all) {
        if (!is_finished(*workload) && !job.is_suspended()) {
            replaced.insert(workload::replaced_slice(*workload));
        }
    }
    for (const auto& workload : all) {
        if (is_finished(*workload)) {
            slices.ended.push_back(workload);
        } else if (has_quota_reserved(*workload) &&
                   replaced.contains(to_string(key_of(*workload)))) {
            const bool must_go = is_evicted(*workload) || workload->metadata.deletion_timestamp;
            (must_go ? slices.leaving : slices.kept) = workload;
        } else {
            slices.current.push_back(workload);
        }
    }
    if (slices.current.empty()) {
        choose_current(job, settings, slices);
    }
    return slices;
}

}  // namespace sluice::controller
