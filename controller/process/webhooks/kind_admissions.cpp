#include "controller/process/webhooks/kind_admissions.hpp"

#include "controller/jobs/pod/pod_resize.hpp"

#include <memory>
#include <utility>

namespace sluice::controller {

namespace {

Result<webhook::Verdict> take(
    AdmissionStep step,
    const KindAdmission& admission,
    const AdmissionContext& context,
    const api::AdmissionRequest& request
) {
    return step == AdmissionStep::Default ? admission.apply_defaults(context, request)
                                          : admission.judge(context, request);
}

/// Returns the webhooks of the kind of jobs that the request names, in its version; nullptr if no
/// description of the kind is in force.
const KindAdmission* find_admission(const JobKinds& kinds, const api::AdmissionRequest& request) {
    const JobKind* kind = kinds.find(request.kind.group, request.kind.kind);
    return kind == nullptr || kind->kind().version() != request.kind.version ||
                   kinds.withdrawn().contains(kind->kind())
               ? nullptr
               : kind->admission();
}

/// Makes a webhook that calls `decide` on the loop of the stores.
template <class Decide>
AdmissionJudge on_loop(LoopCalls& calls, AdmissionContext context, Decide decide) {
    return [&calls, context, decide](std::shared_ptr<const api::AdmissionRequest> request) {
        return calls.call<webhook::Verdict>([context, decide, request = std::move(request)] {
            return decide(context, *request);
        });
    };
}

}  // namespace

AdmissionJudge make_kind_judge(
    LoopCalls& calls, AdmissionContext context, const KindAdmission& admission, AdmissionStep step
) {
    return on_loop(
        calls,
        context,
        [&admission, step](const AdmissionContext& at, const api::AdmissionRequest& request) {
            return take(step, admission, at, request);
        }
    );
}

AdmissionJudge make_any_job_judge(LoopCalls& calls, AdmissionContext context, AdmissionStep step) {
    return on_loop(
        calls,
        context,
        [step](const AdmissionContext& at, const api::AdmissionRequest& request) {
            const KindAdmission* admission = find_admission(at.kinds, request);
            return admission == nullptr ? Result<webhook::Verdict>(webhook::Verdict())
                                        : take(step, *admission, at, request);
        }
    );
}

AdmissionJudge make_resize_judge(LoopCalls& calls, AdmissionContext context) {
    return on_loop(calls, context, judge_resize);
}

}  // namespace sluice::controller
