#include "controller/reconcilers/workload_retention.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <utility>

namespace sluice::controller {

Outcome delete_after_retention(
    const api::Workload& workload, const config::WorkloadRetention& retention, Time now
) {
    Outcome outcome;
    const api::Condition* finished = find_condition(workload, api::condition::kFinished);
    if (!retention.after_finished || !finished->last_transition_time ||
        workload.metadata.deletion_timestamp) {
        return outcome;
    }
    const Time end = *finished->last_transition_time + *retention.after_finished;
    if (now < end) {
        outcome.requeue_at = end;
        return outcome;
    }
    if (auto without = remove_finalizer(workload)) {
        outcome.writes.push_back(std::move(*without));
    }
    Write w{
        .verb = Verb::Delete,
        .object = key_of(workload),
        .body = {},
        .uid = workload.metadata.uid,
    };
    w.events.push_back({
        .regarding = reference_to(workload),
        .reason = api::reason::kDeleted,
        .note = "Deleted finished workload due to elapsed retention",
        .reporting_controller = std::string(kWorkloadController),
    });
    outcome.writes.push_back(std::move(w));
    return outcome;
}

}  // namespace sluice::controller
