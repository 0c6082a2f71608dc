#include "controller/process/capacity_watch.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/sluice_names.hpp"
#include "workload/capacity/assignment_faults.hpp"
#include "workload/capacity/pods_beyond_nodes.hpp"
#include "workload/translation/references.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

constexpr Duration kPeriod = std::chrono::seconds(30);
/// A report may take 1 % of the time.
constexpr int kPauseFactor = 100;

template <class T>
std::vector<const T*> list(const Stores& stores) {
    std::vector<const T*> made;
    const auto& all = stores.of<T>().all();
    made.reserve(all.size());
    for (const auto& [name, object] : all) {
        made.push_back(object.get());
    }
    return made;
}

}  // namespace

std::optional<Instant> CapacityWatch::step() {
    const Instant start = parts_.clock.instant();
    if (start >= due_) {
        observe();
        const Duration took = parts_.clock.instant() - start;
        due_ = start + std::max(kPeriod, took * kPauseFactor);
    }
    return due_;
}

void CapacityWatch::observe() {
    const Stores& stores = parts_.stores;
    for (const auto& [name, node] : stores.of<api::Node>().all()) {
        for (const auto& [resource, amount] : node->status.allocatable) {
            known_resources_.insert(resource);
        }
    }
    if (known_resources_.empty()) {
        return;
    }
    const workload::CapacityInput input{
        .flavors = list<api::ResourceFlavor>(stores),
        .topologies = list<api::Topology>(stores),
        .nodes = list<api::Node>(stores),
        .pods = stores.find(kind_of<api::Pod>()) == nullptr ? std::vector<const api::Pod*>()
                                                            : list<api::Pod>(stores),
        .cluster_queues = list<api::ClusterQueue>(stores),
        .cohorts = list<api::Cohort>(stores),
        .local_queues = {},
        .workloads = {},
        .gang_pod = std::nullopt,
        .counts_gangs = false,
        .known_resources = known_resources_,
    };
    const auto report = workload::make_capacity_report(input);
    parts_.on_report(report);
    for (const ObjectKey& key : drifts_.observe(report, parts_.clock.now())) {
        parts_.on_drift(key);
    }
    if (is_first_) {
        is_first_ = false;
        visit_reported_before();
    }
    report_workloads(input);
}

void CapacityWatch::report_workloads(workload::CapacityInput input) {
    // Workloads of MultiKueue run on nodes of other clusters.
    workload::References references;
    for (const auto& [name, check] : parts_.stores.of<api::AdmissionCheck>().all()) {
        references.admission_checks.emplace(name.name, *check);
    }
    std::erase_if(input.cluster_queues, [&references](const api::ClusterQueue* queue) {
        return workload::has_multi_kueue_check(*queue, references);
    });
    input.local_queues = list<api::LocalQueue>(parts_.stores);
    input.workloads = list<api::Workload>(parts_.stores);
    const Time now = parts_.clock.now();
    const auto beyond = workload::find_pods_beyond_nodes(input);
    send(
        api::reason::kPodsExceedNodes,
        beyond_nodes_.observe(problems_of(beyond, find_unplaced(input)), now)
    );
    std::map<std::string, std::string> faults;
    for (auto& [name, words] : workload::find_assignment_faults(input)) {
        faults.emplace(std::move(name), std::move(words));
    }
    send(api::reason::kTopologyAssignmentFaulty, faulty_.observe(std::move(faults), now));
}

void CapacityWatch::send(const char* reason, const std::vector<WorkloadReports::Report>& reports) {
    for (const auto& [name, words] : reports) {
        const std::size_t slash = name.find('/');
        const auto workload =
            parts_.stores.of<api::Workload>().find(name.substr(0, slash), name.substr(slash + 1));
        if (workload) {
            parts_.on_event(problem_event(*workload, reason, words));
        }
    }
}

/// Finds admitted pods that find no node at present. Without the pods that run, nothing is known.
std::vector<workload::UnplaceablePods> CapacityWatch::find_unplaced(workload::CapacityInput input) {
    if (parts_.stores.find(kind_of<api::Pod>()) == nullptr) {
        return {};
    }
    std::set<std::string_view> queues;
    for (const api::ClusterQueue* queue : input.cluster_queues) {
        queues.insert(queue->metadata.name);
    }
    std::erase_if(input.workloads, [&queues](const api::Workload* workload) {
        const auto& conditions = workload->status.conditions;
        const auto& admission = workload->status.admission;
        return !admission || !queues.contains(admission->cluster_queue) ||
               !api::is_true(conditions, api::condition::kAdmitted) ||
               api::is_true(conditions, api::condition::kFinished);
    });
    return input.workloads.empty() ? std::vector<workload::UnplaceablePods>()
                                   : workload::make_capacity_report(input).unplaceable;
}

/// Visits the queues that an earlier leader reported: some may be well by now.
void CapacityWatch::visit_reported_before() {
    for (const auto& [name, queue] : parts_.stores.of<api::ClusterQueue>().all()) {
        if (api::is_true(queue->status.conditions, api::condition::kQuotaExceedsNodes)) {
            parts_.on_drift({kind_of<api::ClusterQueue>(), "", name.name});
        }
    }
}

}  // namespace sluice::controller
