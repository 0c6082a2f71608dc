#include "controller/scheduler/decision_writes.hpp"

#include "controller/reconcile/workload_status.hpp"
#include "workload/pods/text.hpp"

namespace sluice::controller {

EventNote decision_event(
    const api::Workload& workload, std::string_view reason, std::string_view note, EventType type
) {
    return {
        .regarding = reference_to(workload),
        .type = type,
        .reason = std::string(reason),
        .note = workload::truncated_event_note(note),
        .reporting_controller = std::string(kDecisionController),
    };
}

Write loose_status_write(const api::Workload& workload) {
    Write write = status_write(workload);
    write.body = status_apply(workload, Precondition::Uid);
    return write;
}

}  // namespace sluice::controller
