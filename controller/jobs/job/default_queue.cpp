#include "controller/jobs/job/default_queue.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"

namespace sluice::controller {

std::shared_ptr<const api::LocalQueue> find_default_queue(
    const Stores& stores, const std::string& ns
) {
    auto queue = stores.of<api::LocalQueue>().find(ns, kDefaultQueue);
    return queue && queue->spec.stop_policy == api::stop_policy::kNone ? std::move(queue) : nullptr;
}

bool missed_default_queue(
    const api::ObjectMeta& job, bool is_suspended, const api::LocalQueue& queue
) {
    const auto& made = queue.metadata.creation_timestamp;
    if (job.generation != 1 || !job.creation_timestamp || !made ||
        *made >= *job.creation_timestamp) {
        return false;
    }
    const auto* active = api::find_condition(queue.status.conditions, api::condition::kActive);
    return is_suspended || (active != nullptr && active->status == api::condition_status::kTrue &&
                            active->last_transition_time &&
                            *active->last_transition_time <= *job.creation_timestamp);
}

}  // namespace sluice::controller
