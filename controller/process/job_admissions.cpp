#include "controller/process/job_admissions.hpp"

#include <memory>
#include <utility>

namespace sluice::controller {

AdmissionJudge make_job_judge(
    LoopCalls& calls, AdmissionContext context, const JobKind& kind, AdmissionStep step
) {
    return [&calls, context, &kind, step](std::shared_ptr<const api::AdmissionRequest> request) {
        return calls.call<webhook::Verdict>([context, &kind, step, request = std::move(request)] {
            return step == AdmissionStep::Default ? default_job(context, kind, *request)
                                                  : judge_job(context, kind, *request);
        });
    };
}

AdmissionJudge make_object_judge(
    LoopCalls& calls, AdmissionContext context, const ObjectAdmission& admission, AdmissionStep step
) {
    return [&calls, context, &admission, step](std::shared_ptr<const api::AdmissionRequest> request
           ) {
        return calls.call<webhook::Verdict>(
            [context, &admission, step, request = std::move(request)] {
                return step == AdmissionStep::Default ? admission.apply_defaults(context, *request)
                                                      : admission.judge(context, *request);
            }
        );
    };
}

}  // namespace sluice::controller
