#include "controller/jobs/serving/serving_admission.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "api/meta/dynamic_object.hpp"
#include "controller/jobs/admission/job_defaults.hpp"
#include "controller/jobs/job/object_members.hpp"
#include "validation/serving_rules.hpp"

#include <utility>

namespace sluice::controller {

std::int64_t ServedObject::number_at(
    std::initializer_list<std::string_view> path, std::int64_t otherwise
) const {
    const json::Value* found = value.find_path(path);
    return found != nullptr && found->is_int() ? found->as_int() : otherwise;
}

Result<ServedObject> read_served(const api::RawJson& json, const std::string& ns) {
    auto object = api::decode<api::DynamicObject>(json.view());
    if (!object) {
        return object.error();
    }
    ServedObject served{std::move(object->value), std::move(object->metadata)};
    if (served.metadata.namespace_.empty()) {
        served.metadata.namespace_ = ns;
    }
    return served;
}

Result<bool> default_served(const AdmissionContext& context, ServedObject& object) {
    if (const auto done = default_queue(context, object.value, object.metadata); !done) {
        return done.error();
    }
    default_priority_class(context, object.value, object.metadata);
    return are_pods_held(context, object);
}

Result<bool> are_pods_held(const AdmissionContext& context, const ServedObject& object) {
    const auto wait = find_wait(context, object.metadata);
    if (!wait) {
        return wait.error();
    }
    return *wait == Waits::ForItsOwn;
}

api::FieldErrors validate_served_update(
    const AdmissionContext& context, const ServedObject& before, const ServedObject& after
) {
    const bool is_served = before.number_at({"status", "readyReplicas"}, 0) > 0;
    return validation::validate_serving_update(
        before.metadata,
        after.metadata,
        is_served ? validation::Served::Yes : validation::Served::No,
        context.gates
    );
}

json::Value& template_map(json::Value& pod_template, std::string_view name) {
    return object_at(pod_template, {"metadata", name});
}

void copy_queue_and_class(const api::ObjectMeta& object, json::Value& pod_template) {
    for (const char* key : {api::label::kQueueName, api::label::kPriorityClass}) {
        const std::string* value = object.find_label(key);
        if (value != nullptr && !value->empty()) {
            template_map(pod_template, "labels").set(key, *value);
        }
    }
}

}  // namespace sluice::controller
