#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/job/object_members.hpp"
#include "controller/jobs/members/serving_names.hpp"
#include "controller/jobs/serving/serving_admission.hpp"
#include "validation/serving_rules.hpp"

#include <utility>

namespace sluice::controller {

namespace {

using webhook::Verdict;

constexpr const char* kDeploymentKind = "apps/v1, Kind=Deployment";

class DeploymentAdmission final : public KindAdmission {
  public:
    Result<Verdict> apply_defaults(
        const AdmissionContext& context, const api::AdmissionRequest& request
    ) const override {
        auto object = read_served(request.object, request.namespace_);
        if (!object) {
            return object.error();
        }
        const auto is_held = default_served(context, *object);
        if (!is_held) {
            return is_held.error();
        }
        if (*is_held) {
            json::Value& pod_template = object_at(object->value, {"spec", "template"});
            template_map(pod_template, "annotations")
                .set(api::annotation::kPodSuspendingParent, kDeployments);
            template_map(pod_template, "labels").set(api::label::kManaged, "true");
            copy_queue_and_class(object->metadata, pod_template);
        }
        return Verdict{.refusal = {}, .changed = std::move(object->value), .warnings = {}};
    }

    Result<Verdict> judge(const AdmissionContext& context, const api::AdmissionRequest& request)
        const override {
        const auto after = read_served(request.object, request.namespace_);
        if (!after) {
            return after.error();
        }
        if (request.operation == "CREATE") {
            return webhook::make_verdict(
                validation::validate_serving(after->metadata, kDeploymentKind, context.gates)
            );
        }
        const auto before = read_served(request.old_object, request.namespace_);
        if (!before) {
            return with_context(before.error(), "oldObject");
        }
        auto errors =
            validation::validate_changed_serving(after->metadata, kDeploymentKind, context.gates);
        api::append(errors, validate_served_update(context, *before, *after));
        return webhook::make_verdict(errors);
    }
};

}  // namespace

const KindAdmission& deployment_admission() {
    static const DeploymentAdmission kAdmission;
    return kAdmission;
}

}  // namespace sluice::controller
