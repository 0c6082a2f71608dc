#include "controller/jobs/job/generic_job.hpp"

#include "controller/jobs/job/pod_job.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "workload/pods/text.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::controller {

EventNote job_event(
    const JobKind& kind, const api::ObjectMeta& job, std::string_view reason, std::string_view note
) {
    return {
        .regarding =
            {
                .api_version = kind.kind().api_version(),
                .kind = std::string(kind.kind().name()),
                .namespace_ = job.namespace_,
                .name = job.name,
                .uid = job.uid,
                .resource_version = job.resource_version,
            },
        .reason = std::string(reason),
        .note = workload::truncated_event_note(note),
        .reporting_controller = fmt::format("{}-kueue-controller", kind.integration()),
    };
}

EventNote job_warning(
    const JobKind& kind, const api::ObjectMeta& job, std::string_view reason, std::string_view note
) {
    EventNote event = job_event(kind, job, reason, note);
    event.type = EventType::Warning;
    return event;
}

Write job_patch(Kind kind, const api::ObjectMeta& job, json::Value patch, Verb verb) {
    return strict_patch({kind, job.namespace_, job.name}, job, std::move(patch), verb);
}

StopStep next_stop_step(
    const GenericJob& job, const StopCause& cause, const api::Workload* workload
) {
    const PodJob* pods = job.as_pods();
    return pods != nullptr ? pods->next_stop_step_for(cause, workload)
                           : job.next_stop_step(workload);
}

}  // namespace sluice::controller
