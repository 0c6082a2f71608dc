#include "controller/process/webhooks/job_admissions.hpp"

#include "controller/jobs/pod/pod_resize.hpp"

#include <memory>
#include <utility>

namespace sluice::controller {

namespace {

Result<webhook::Verdict> take(
    AdmissionStep step,
    const AdmissionContext& context,
    const JobKind& kind,
    const api::AdmissionRequest& request
) {
    return step == AdmissionStep::Default ? default_job(context, kind, request)
                                          : judge_job(context, kind, request);
}

}  // namespace

AdmissionJudge make_job_judge(
    LoopCalls& calls, AdmissionContext context, const JobKind& kind, AdmissionStep step
) {
    return [&calls, context, &kind, step](std::shared_ptr<const api::AdmissionRequest> request) {
        return calls.call<webhook::Verdict>([context, &kind, step, request = std::move(request)] {
            return take(step, context, kind, *request);
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

AdmissionJudge make_resize_judge(LoopCalls& calls, AdmissionContext context) {
    return [&calls, context](std::shared_ptr<const api::AdmissionRequest> request) {
        return calls.call<webhook::Verdict>([context, request = std::move(request)] {
            return judge_resize(context, *request);
        });
    };
}

AdmissionJudge make_any_job_judge(LoopCalls& calls, AdmissionContext context, AdmissionStep step) {
    return [&calls, context, step](std::shared_ptr<const api::AdmissionRequest> request) {
        return calls.call<webhook::Verdict>(
            [context, step, request = std::move(request)]() -> Result<webhook::Verdict> {
                const auto& asked = request->kind;
                const JobKind* kind = context.kinds.find(asked.group, asked.kind);
                if (kind == nullptr || kind->kind().version() != asked.version ||
                    kind->admission() == nullptr ||
                    context.kinds.withdrawn().contains(kind->kind())) {
                    return webhook::Verdict();
                }
                return take(step, context, *kind, *request);
            }
        );
    };
}

}  // namespace sluice::controller
