#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/jobs/job/object_members.hpp"
#include "controller/jobs/members/serving_names.hpp"
#include "controller/jobs/serving/serving_admission.hpp"
#include "controller/jobs/serving/stateful_set_groups.hpp"
#include "validation/serving_rules.hpp"

#include <cstdint>
#include <utility>

namespace sluice::controller {

namespace {

using api::FieldErrors;
using webhook::Verdict;

constexpr const char* kKindName = "apps/v1, Kind=StatefulSet";
constexpr const char* kReplicas = "spec.replicas";

bool is_left_alone(const ServedObject& object) {
    const json::Value* framework = object.value.find_path(
        {"spec", "template", "metadata", "annotations", api::annotation::kPodSuspendingParent}
    );
    return framework != nullptr &&
           !(framework->is_string() && framework->as_string() == kStatefulSets);
}

std::int64_t replicas_of(const ServedObject& object) {
    return object.number_at({"spec", "replicas"}, 1);
}

json::Value pod_spec_of(const ServedObject& object) {
    const json::Value* found = object.value.find_path({"spec", "template", "spec"});
    return found == nullptr ? json::Value(json::Object{}) : *found;
}

/// Allows scaling only to zero and from zero, which creates the Workload again.
FieldErrors validate_scaling(
    const AdmissionContext& context, const ServedObject& before, const ServedObject& after
) {
    const std::int64_t old_count = replicas_of(before);
    const std::int64_t count = replicas_of(after);
    if (old_count == count || count == 0) {
        return {};
    }
    if (old_count != 0) {
        return {api::FieldError::immutable(kReplicas, count)};
    }
    if (after.number_at({"status", "replicas"}, 0) > 0) {
        return {api::FieldError::forbidden(kReplicas, "scaling down is still in progress")};
    }
    const auto workload =
        find_workload_of_set(context.stores, before.metadata, context.settings).workload;
    if (workload && !is_on_hold(*workload)) {
        return {api::FieldError::forbidden(
            kReplicas, "workload from previous scale-down is still being deleted"
        )};
    }
    return {};
}

class StatefulSetAdmission final : public KindAdmission {
  public:
    Result<Verdict> apply_defaults(
        const AdmissionContext& context, const api::AdmissionRequest& request
    ) const override {
        auto object = read_served(request.object, request.namespace_);
        if (!object) {
            return object.error();
        }
        if (is_left_alone(*object)) {
            return Verdict();
        }
        const auto is_held = default_served(context, *object);
        if (!is_held) {
            return is_held.error();
        }
        if (*is_held) {
            template_map(object_at(object->value, {"spec", "template"}), "annotations")
                .set(api::annotation::kPodSuspendingParent, kStatefulSets);
        }
        return Verdict{.refusal = {}, .changed = std::move(object->value), .warnings = {}};
    }

    Result<Verdict> judge(const AdmissionContext& context, const api::AdmissionRequest& request)
        const override {
        const auto after = read_served(request.object, request.namespace_);
        if (!after) {
            return after.error();
        }
        if (is_left_alone(*after)) {
            return Verdict();
        }
        if (request.operation == "CREATE") {
            return webhook::make_verdict(
                validation::validate_serving(after->metadata, kKindName, context.gates)
            );
        }
        const auto before = read_served(request.old_object, request.namespace_);
        if (!before) {
            return with_context(before.error(), "oldObject");
        }
        FieldErrors errors =
            validation::validate_changed_serving(after->metadata, kKindName, context.gates);
        api::append(errors, validate_served_update(context, *before, *after));
        const auto is_held = are_pods_held(context, *after);
        if (!is_held) {
            return is_held.error();
        }
        if (*is_held) {
            api::append(
                errors,
                validation::validate_role_fields(
                    pod_spec_of(*before), pod_spec_of(*after), "spec.template.spec"
                )
            );
            api::append(errors, validate_scaling(context, *before, *after));
        }
        return webhook::make_verdict(errors);
    }
};

}  // namespace

const KindAdmission& stateful_set_admission() {
    static const StatefulSetAdmission kAdmission;
    return kAdmission;
}

}  // namespace sluice::controller
