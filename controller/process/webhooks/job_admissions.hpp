#pragma once

#include "controller/jobs/admission/job_admission.hpp"
#include "controller/jobs/job/object_admission.hpp"
#include "controller/process/webhooks/admission_handler.hpp"
#include "controller/process/webhooks/loop_calls.hpp"

#include <cstdint>

namespace sluice::controller {

enum class AdmissionStep : std::uint8_t { Default, Judge };

/// The webhook of a kind of job, which judges on the loop of the stores. Its errors: those of
/// default_job() and judge_job(), and of LoopCalls.
/// Lifetime: calls and kind must outlive it.
AdmissionJudge make_job_judge(
    LoopCalls& calls, AdmissionContext context, const JobKind& kind, AdmissionStep step
);

/// The same for a kind whose objects are no jobs. Lifetime: calls and admission must outlive it.
AdmissionJudge make_object_judge(
    LoopCalls& calls, AdmissionContext context, const ObjectAdmission& admission, AdmissionStep step
);
/// The webhook of resizes of pods. Lifetime: calls must outlive it.
AdmissionJudge make_resize_judge(LoopCalls& calls, AdmissionContext context);
/// The same for the kind of the object that it is asked about, as far as `context.kinds` has it at
/// that moment, in that version; of other objects nothing is demanded. Lifetime: calls must outlive
/// it.
AdmissionJudge make_any_job_judge(LoopCalls& calls, AdmissionContext context, AdmissionStep step);

}  // namespace sluice::controller
