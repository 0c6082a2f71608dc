#include "controller/reconcilers/admission_note.hpp"

#include "api/kueue/conditions.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "workload/pods/text.hpp"

#include <fmt/format.h>

#include <chrono>

namespace sluice::controller {

void note_admission(
    Write& write, const api::Workload& workload, const std::string& cluster_queue, Time now
) {
    const Time reserved_at = find_condition(workload, api::condition::kQuotaReserved)
                                 ->last_transition_time.value_or(now);
    const std::string note = fmt::format(
        "Admitted by ClusterQueue {}, wait time since reservation was {}s",
        cluster_queue,
        std::chrono::round<std::chrono::seconds>(now - reserved_at).count()
    );
    write.events.push_back(
        {.regarding = reference_to(workload),
         .type = EventType::Normal,
         .reason = api::reason::kAdmitted,
         .note = workload::truncated_event_note(note),
         .reporting_controller = std::string(kWorkloadController)}
    );
    write.observations.push_back(
        {.kind = Observation::Kind::Admitted,
         .cluster_queue = cluster_queue,
         .local_queue = workload.spec.queue_name,
         .ns = workload.metadata.namespace_,
         .workload = workload.metadata.name,
         .priority_class = priority_class_name(workload),
         .since_queued = now - queued_since(workload),
         .since_reserved = now - reserved_at}
    );
}

}  // namespace sluice::controller
