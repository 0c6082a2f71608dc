#include "controller/jobs/job_slices.hpp"

#include "api/kueue_names.hpp"
#include "controller/jobs/workload_of_job.hpp"
#include "controller/reconcilers/workload_status.hpp"
#include "workload/slices.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

namespace sluice::controller {

namespace {

bool has_gate(const api::PodTemplateSpec& pod_template) {
    const auto& gates = pod_template.spec.scheduling_gates;
    return std::ranges::find(
               gates, api::scheduling_gate::kElasticJob, &api::PodSchedulingGate::name
           ) != gates.end();
}

std::int32_t count_pods(const std::vector<api::PodSet>& pod_sets) {
    std::int32_t count = 0;
    for (const api::PodSet& pod_set : pod_sets) {
        count += pod_set.count;
    }
    return count;
}

/// None is current: all are finished, or they name each other.
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
    const bool was_replaced = finished != nullptr &&
                              finished->status == api::condition_status::kTrue &&
                              finished->reason == api::reason::kWorkloadSliceReplaced;
    return !was_replaced && is_equivalent(job, workload, settings);
}

bool may_run_on(const GenericJob& job, const api::Workload& kept) {
    if (!is_admitted(kept)) {
        return false;
    }
    const auto wanted = job.pod_sets();
    return wanted && (count_pods(*wanted) <= count_pods(kept.spec.pod_sets) ||
                      std::ranges::all_of(*wanted, [](const api::PodSet& pod_set) {
                          return has_gate(*pod_set.template_);
                      }));
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
