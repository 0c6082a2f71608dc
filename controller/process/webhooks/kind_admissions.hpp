// Admission webhooks that need the stores: of kinds, and of resizes.
#pragma once

#include "controller/jobs/admission/kind_admission.hpp"
#include "controller/process/webhooks/admission_handler.hpp"
#include "controller/process/webhooks/loop_calls.hpp"

#include <cstdint>

namespace sluice::controller {

enum class AdmissionStep : std::uint8_t { Default, Judge };

/// Makes the webhook of a kind, which runs on the loop of the stores. Its errors: those of
/// KindAdmission and of LoopCalls. Lifetime: `calls` and `admission` must outlive it.
AdmissionJudge make_kind_judge(
    LoopCalls& calls, AdmissionContext context, const KindAdmission& admission, AdmissionStep step
);
/// Makes a webhook for any kind of jobs that `context.kinds` has at the time of the request, in the
/// requested version; allows all other objects. Lifetime: `calls` must outlive it.
AdmissionJudge make_any_job_judge(LoopCalls& calls, AdmissionContext context, AdmissionStep step);
/// Makes the webhook for resizes of pods. Lifetime: `calls` must outlive it.
AdmissionJudge make_resize_judge(LoopCalls& calls, AdmissionContext context);

}  // namespace sluice::controller
