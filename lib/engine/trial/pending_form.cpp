#include "engine/trial/pending_form.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::engine {
namespace {

std::vector<ResourceRequest> requests_of(const State& state, const std::vector<Request>& given) {
    std::vector<ResourceRequest> made;
    made.reserve(given.size());
    for (const Request& request : given) {
        made.push_back({.resource = state.resource_name(request.resource), .amount = request.amount}
        );
    }
    return made;
}

PodSet pod_set_of(const State& state, const PodSetRecord& given) {
    PodSet made{
        .name = given.name,
        .count = given.count,
        .min_count = given.min_count < 0 ? std::nullopt : std::optional(given.min_count),
        .reclaimable = given.reclaimable,
        .requests = requests_of(state, given.requests),
        .shape = given.shape,
        .group = given.group,
    };
    if (given.node_requests) {
        made.node_requests = requests_of(state, *given.node_requests);
    }
    return made;
}

}  // namespace

Workload pending_form(const State& state, WorkloadIndex workload) {
    const WorkloadRecord& record = state.workload(workload);
    const std::string_view key = record.key();
    const std::size_t slash = key.find('/');
    Workload made;
    made.ns = key.substr(0, slash);
    made.name = key.substr(slash + 1);
    made.uid = record.uid();
    if (record.local_queue.is_valid()) {
        made.local_queue = state.local_queue(record.local_queue).key.substr(slash + 1);
    }
    made.priority = record.priority;
    made.queue_order = record.queue_order;
    made.generation = record.generation;
    made.scheduling_class = record.scheduling_class;
    made.condition_stamp = record.condition_stamp;
    for (const PodSetRecord& pod_set : record.pod_sets) {
        made.pod_sets.push_back(pod_set_of(state, pod_set));
    }
    made.requeued_false = record.requeued_false;
    made.requeue_at = record.requeue_at;
    made.checks_failed = record.checks_failed;
    made.requests_valid = record.requests_valid;
    made.preemption_gated = record.preemption_gated;
    made.replaces = record.replaces == nullptr ? "" : *record.replaces;
    made.job = record.job == nullptr ? "" : *record.job;
    made.is_unowned = record.is_unowned;
    return made;
}

}  // namespace sluice::engine
