// Admission webhooks that need the stores: of jobs, related kinds and resizes.
#pragma once

#include "controller/jobs/admission/job_admission.hpp"
#include "controller/jobs/job/object_admission.hpp"
#include "controller/process/webhooks/admission_handler.hpp"
#include "controller/process/webhooks/loop_calls.hpp"

#include <cstdint>

namespace sluice::controller {

enum class AdmissionStep : std::uint8_t { Default, Judge };

/// Makes the webhook of a kind of jobs, which runs on the loop of the stores. Its errors: those of
/// default_job() and judge_job(), and of LoopCalls. Lifetime: `calls` and `kind` must outlive it.
AdmissionJudge make_job_judge(
    LoopCalls& calls, AdmissionContext context, const JobKind& kind, AdmissionStep step
);

/// Makes the webhook of a kind whose objects are not jobs. Lifetime: `calls` and `admission` must
/// outlive it.
AdmissionJudge make_object_judge(
    LoopCalls& calls, AdmissionContext context, const ObjectAdmission& admission, AdmissionStep step
);
/// Makes the webhook for resizes of pods. Lifetime: `calls` must outlive it.
AdmissionJudge make_resize_judge(LoopCalls& calls, AdmissionContext context);
/// Makes a webhook for any kind of jobs that `context.kinds` has at the time of the request, in the
/// requested version; allows all other objects. Lifetime: `calls` must outlive it.
AdmissionJudge make_any_job_judge(LoopCalls& calls, AdmissionContext context, AdmissionStep step);

}  // namespace sluice::controller
