#include "insight/situation_of_state.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "workload/status/pending_order.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace sluice::insight {
namespace {

void add_condition(api::Workload& workload, const char* type, std::optional<engine::Time> since) {
    api::Condition made;
    made.type_ = type;
    made.status = api::condition_status::kTrue;
    made.reason = type;
    made.last_transition_time = since;
    api::set_condition(workload.status.conditions, std::move(made));
}

api::Admission admission_of(const engine::State& state, const engine::Holding& holding) {
    api::Admission made;
    made.cluster_queue = state.node_name(holding.cluster_queue);
    api::PodSetAssignment all;
    for (const auto& usage : holding.usages) {
        all.flavors[state.resource_name(state.resource_of(usage.flavor_resource))] =
            state.flavor_name(state.flavor_of(usage.flavor_resource));
    }
    made.pod_set_assignments.push_back(std::move(all));
    return made;
}

}  // namespace

std::optional<Situation> situation_of_state(
    const engine::State& state, std::string_view workload, engine::Time now
) {
    const auto index = state.find_workload(workload);
    if (!index.is_valid()) {
        return std::nullopt;
    }
    const auto& record = state.workload(index);
    const std::size_t slash = workload.find('/');
    api::Workload made;
    made.metadata.namespace_ = workload.substr(0, slash);
    made.metadata.name = workload.substr(slash + 1);
    made.metadata.uid = record.uid();
    made.metadata.creation_timestamp = record.queue_order;
    made.spec.priority = static_cast<std::int32_t>(record.priority);
    if (record.holding != nullptr) {
        made.status.admission = admission_of(state, *record.holding);
        add_condition(made, api::condition::kQuotaReserved, record.holding->reserved_at);
        if (record.holding->admitted) {
            add_condition(made, api::condition::kAdmitted, record.holding->reserved_at);
        }
        if (record.holding->evicted) {
            add_condition(made, api::condition::kEvicted, std::nullopt);
        }
    }
    api::LocalQueue local;
    if (record.local_queue.is_valid()) {
        made.spec.queue_name = state.local_queue(record.local_queue).key.substr(slash + 1);
        local.metadata.name = made.spec.queue_name;
        local.metadata.namespace_ = made.metadata.namespace_;
    }
    api::ClusterQueue cluster;
    const auto queue = state.cluster_queue_of(record);
    if (queue.is_valid()) {
        cluster.metadata.name = state.node_name(queue);
        local.spec.cluster_queue = cluster.metadata.name;
    }
    Situation situation{
        .now = now,
        .depth = Depth::Full,
        .state = std::make_shared<engine::State>(state.fork()),
        .workload = std::make_shared<const api::Workload>(std::move(made)),
        .local_queue = std::make_shared<const api::LocalQueue>(std::move(local)),
        .cluster_queue = std::make_shared<const api::ClusterQueue>(std::move(cluster)),
        .local_queues = {},
        .priority_classes = {},
        .flavors = {},
        .obstacle = {},
        .activity = {},
        .place = {},
        .changes = {},
    };
    workload::PendingOrder order(*situation.state);
    situation.place = order.find(situation.state->find_workload(workload));
    if (record.holding == nullptr && (!queue.is_valid() || !state.cluster_queue(queue).active)) {
        situation.obstacle = workload::Waiting{
            .reason = api::reason::kSuspended,
            .message = queue.is_valid() ? "ClusterQueue " + state.node_name(queue) + " is inactive"
                                        : "no ClusterQueue takes it",
        };
    } else if (record.holding == nullptr && !record.queueable) {
        situation.obstacle = workload::Waiting{
            .reason = api::reason::kOnHold,
            .message = "it is deactivated, gated, on hold or finished",
        };
    }
    return situation;
}

}  // namespace sluice::insight
