#include "insight/held_back.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/micro_time.hpp"
#include "base/assert.hpp"
#include "base/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace sluice::insight {
namespace {

namespace condition = api::condition;

std::vector<std::string_view> names_of(
    const std::vector<std::shared_ptr<const api::LocalQueue>>& queues
) {
    std::vector<std::string_view> names;
    names.reserve(queues.size());
    for (const auto& queue : queues) {
        names.push_back(queue->metadata.name);
    }
    return names;
}

}  // namespace

std::optional<Time> waiting_since(const api::Workload& workload) {
    const auto created = workload.metadata.creation_timestamp;
    const auto* evicted = api::find_condition(workload.status.conditions, condition::kEvicted);
    const auto since = evicted == nullptr ? std::nullopt : evicted->last_transition_time;
    return since && created ? std::max(*since, *created) : since ? since : created;
}

void describe_held_back(const Situation& situation, api::Explanation& made) {
    made.state = api::explanation_state::kHeldBack;
    made.prospect = api::explanation_prospect::kNever;
    made.since = waiting_since(*situation.workload);
    SLUICE_ASSERT(situation.obstacle.has_value());
    made.reason = situation.obstacle->reason;
    made.message = situation.obstacle->message;
    if (situation.local_queue == nullptr) {
        const std::string& ns = situation.workload->metadata.namespace_;
        const auto names = names_of(situation.local_queues);
        const auto nearest = nearest_name(made.local_queue, names);
        if (made.local_queue.empty()) {
            made.message = "it names no LocalQueue";
        } else {
            made.message += fmt::format(" in namespace {}", ns);
        }
        if (!nearest.empty()) {
            made.notes.push_back(fmt::format("the namespace has LocalQueue {}", nearest));
        } else if (names.empty()) {
            made.notes.push_back(fmt::format("namespace {} has no LocalQueue", ns));
        } else {
            made.notes.push_back(
                fmt::format("the LocalQueues of the namespace: {}", fmt::join(names, ", "))
            );
        }
        return;
    }
    if (situation.cluster_queue == nullptr) {
        made.notes.push_back(fmt::format(
            "LocalQueue {} names ClusterQueue {}, which does not exist",
            made.local_queue,
            situation.local_queue->spec.cluster_queue
        ));
        return;
    }
    if (!situation.activity.is_active) {
        made.notes.push_back(
            fmt::format("ClusterQueue {}: {}", made.cluster_queue, situation.activity.message)
        );
    }
}

std::optional<std::string> find_delay(const api::Workload& workload, Time now) {
    const auto& status = workload.status;
    const auto until = status.requeue_state ? status.requeue_state->requeue_at : std::nullopt;
    if (until && *until > now) {
        return "it backs off until " + api::to_string(*until) + " after its eviction";
    }
    const auto* requeued = api::find_condition(status.conditions, condition::kRequeued);
    if (requeued != nullptr && requeued->status == api::condition_status::kFalse) {
        return fmt::format(
            "it is not queued again since its eviction: {}",
            requeued->message.empty() ? requeued->reason : requeued->message
        );
    }
    return std::nullopt;
}

}  // namespace sluice::insight
