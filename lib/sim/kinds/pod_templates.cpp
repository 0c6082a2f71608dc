#include "sim/kinds/pod_templates.hpp"

#include "job_kinds/derived/spark_pod.hpp"
#include "sim/objects/fields.hpp"

#include <utility>

namespace sluice::sim {

namespace {

/// Sets the application's image in containers without an image.
void set_spark_image(json::Value& pod_template, const json::Value& application) {
    const std::string_view image = text_at(application, {"spec", "image"});
    json::Value* containers = make_object_at(pod_template, {"spec"}).find("containers");
    if (containers == nullptr || !containers->is_array()) {
        return;
    }
    for (json::Value& container : containers->as_array()) {
        if (container.string_at("image").empty()) {
            container.set("image", image.empty() ? "spark" : image);
        }
    }
}

/// The roles of an application describe their pods in other fields.
Result<json::Value> with_spark_pods(const json::Value& application) {
    json::Value completed = application;
    for (const auto role : {job_kinds::SparkRole::Driver, job_kinds::SparkRole::Executor}) {
        auto pod = job_kinds::make_spark_pod(application, role);
        if (!pod) {
            return pod.error();
        }
        set_spark_image(*pod, application);
        make_object_at(completed, {"spec", job_kinds::to_string(role)})
            .set("podTemplate", std::move(*pod));
    }
    return completed;
}

/// A submitter exists even if the user does not specify it.
json::Value with_submitter(const json::Value& job) {
    json::Value completed = job;
    if (text_at(job, {"spec", "submissionMode"}) == "K8sJobMode" &&
        job.find_path({"spec", "submitterPodTemplate"}) == nullptr) {
        const json::Array& containers = list_at(
            job, {"spec", "rayClusterSpec", "headGroupSpec", "template", "spec", "containers"}
        );
        const json::Value container = json::Object{
            {"name", "ray-job-submitter"},
            {"image", containers.empty() ? "ray" : containers.front().string_at("image")}
        };
        make_object_at(completed, {"spec", "submitterPodTemplate", "spec"})
            .set("containers", json::Array{container});
    }
    return completed;
}

}  // namespace

Result<json::Value> with_pod_templates(std::string_view framework, const json::Value& object) {
    if (framework == "sparkoperator.k8s.io/sparkapplication") {
        return with_spark_pods(object);
    }
    return framework == "ray.io/rayjob" ? with_submitter(object) : object;
}

}  // namespace sluice::sim
