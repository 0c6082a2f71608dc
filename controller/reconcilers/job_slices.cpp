#include "controller/reconcilers/job_slices.hpp"

#include "controller/reconcilers/job_workload.hpp"
#include "controller/reconcilers/workload_status.hpp"
#include "workload/slices.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::string_view kGate = "kueue.x-k8s.io/elastic-job";

/// None is current: all are finished, or they name each other.
void choose_current(const api::Job& job, const Settings& settings, Slices& slices) {
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

bool describes(const api::Job& job, const api::Workload& workload, const Settings& settings) {
    const api::Condition* finished = find_condition(workload, "Finished");
    const bool was_replaced = finished != nullptr && finished->status == "True" &&
                              finished->reason == workload::kSliceReplaced;
    return !was_replaced && is_equivalent(job, workload, settings);
}

bool may_run_on(const api::Job& job, const api::Workload& kept) {
    if (!is_admitted(kept)) {
        return false;
    }
    std::int32_t count = 0;
    for (const api::PodSet& pod_set : kept.spec.pod_sets) {
        count += pod_set.count;
    }
    return pod_count(job) <= count ||
           std::ranges::find(
               job.spec.template_.spec.scheduling_gates, kGate, &api::PodSchedulingGate::name
           ) != job.spec.template_.spec.scheduling_gates.end();
}

Slices sort_slices(
    const api::Job& job, std::vector<Slices::WorkloadPointer> all, const Settings& settings
) {
    Slices slices;
    if (!is_elastic(job, settings) || all.size() < 2) {
        slices.current = std::move(all);
        return slices;
    }
    std::set<std::string, std::less<>> replaced;
    for (const auto& workload : all) {
        if (!is_finished(*workload) && !is_suspended(job)) {
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
