#include "controller/jobs/described/ray_job.hpp"

#include "api/meta/quantity.hpp"
#include "job_kinds/text.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::string_view kHead = "head";
/// The field of a RayService for the RayClusterSpec; in a RayJob it is `rayClusterSpec`. Kueue's
/// messages use the latter for both.
constexpr std::string_view kServiceCluster = "rayClusterConfig";
constexpr std::string_view kSubmitter = "ray-job-submitter";

json::Value amounts(std::string_view cpu, std::string_view memory) {
    return json::Object{{"cpu", cpu}, {"memory", memory}};
}

json::Value submitter_resources() {
    return json::Object{{"limits", amounts("1", "1Gi")}, {"requests", amounts("500m", "200Mi")}};
}

bool is_set_true(const json::Value* value) {
    return value != nullptr && value->is_bool() && value->as_bool();
}

json::Array* containers_of(json::Value& pod_template) {
    json::Value* spec = pod_template.find("spec");
    json::Value* containers = spec == nullptr ? nullptr : spec->find("containers");
    return containers != nullptr && containers->is_array() ? &containers->as_array() : nullptr;
}

void add_container(json::Value& pod_template, std::string_view name, json::Value resources) {
    if (json::Array* containers = containers_of(pod_template)) {
        containers->emplace_back(json::Object{{"name", name}, {"resources", std::move(resources)}});
    }
}

/// Raises a request to at least the amount. A request that cannot be read is not changed.
void raise_request(json::Value& requests, std::string_view resource, std::string_view amount) {
    const json::Value* present = requests.find(resource);
    if (present != nullptr) {
        const auto asked = api::Quantity::parse(
            present->is_string() ? present->as_string() : json::print(*present)
        );
        if (!asked || *asked >= *api::Quantity::parse(amount)) {
            return;
        }
    }
    requests.set(resource, amount);
}

/// Raises the head's requests to those of KubeRay's Job that cleans up Redis, which runs after the
/// head is gone.
void raise_to_redis_cleanup(json::Value& pod_template) {
    json::Array* containers = containers_of(pod_template);
    if (containers == nullptr || containers->empty() || !containers->front().is_object()) {
        return;
    }
    json::Value& container = containers->front();
    json::Value* resources = container.find("resources");
    if (resources == nullptr || !resources->is_object()) {
        resources = &container.set("resources", json::Object{});
    }
    json::Value* requests = resources->find("requests");
    if (requests == nullptr || !requests->is_object()) {
        requests = &resources->set("requests", json::Object{});
    }
    raise_request(*requests, "cpu", "200m");
    raise_request(*requests, "memory", "256Mi");
}

json::Value autoscaler_resources(const json::Value& cluster) {
    const json::Value* own = cluster.find_path({"autoscalerOptions", "resources"});
    if (own != nullptr && own->is_object()) {
        return *own;
    }
    return json::Object{
        {"limits", amounts("500m", "512Mi")}, {"requests", amounts("500m", "512Mi")}
    };
}

/// Returns the default template of the submitter. It has the image of the head, so that the
/// versions of Ray are equal.
json::Value default_submitter(const json::Value& cluster) {
    json::Value container = json::Object{{"name", kSubmitter}};
    const json::Value* containers =
        cluster.find_path({"headGroupSpec", "template", "spec", "containers"});
    if (containers != nullptr && containers->is_array() && !containers->as_array().empty()) {
        const std::string_view image = containers->as_array().front().string_at("image");
        if (!image.empty()) {
            container.set("image", image);
        }
    }
    container.set("resources", submitter_resources());
    return json::Object{
        {"spec",
         json::Object{{"containers", json::Array{std::move(container)}}, {"restartPolicy", "Never"}}
        },
    };
}

/// Returns true for KubeRay's finalizers, and for the finalizer that waits for dependents.
bool is_awaited_by_ray(std::string_view finalizer) {
    return finalizer.starts_with("ray.io/") || finalizer == "foregroundDeletion";
}

}  // namespace

std::string_view ray_cluster_spec_path(std::string_view kind) {
    return kind == "RayCluster" ? "spec" : "spec.rayClusterSpec";
}

const json::Value* RayJob::cluster_spec() const {
    const std::string& kind = description().kind;
    if (kind == "RayCluster") {
        return value().find_path({"spec"});
    }
    return value().find_path({"spec", kind == "RayService" ? kServiceCluster : "rayClusterSpec"});
}

std::string RayJob::place_of(const job_kinds::DescribedPodSet& pod_set) const {
    std::string place = DescribedJob::place_of(pod_set);
    if (const auto at = place.find(kServiceCluster); at != std::string::npos) {
        place.replace(at, kServiceCluster.size(), "rayClusterSpec");
    }
    return place;
}

bool RayJob::is_fault_tolerant() const {
    const json::Value* cluster = cluster_spec();
    const std::string* ft = metadata().find_annotation("ray.io/ft-enabled");
    return (cluster != nullptr && cluster->find("gcsFaultToleranceOptions") != nullptr) ||
           (ft != nullptr && job_kinds::lower_case(*ft) == "true");
}

bool RayJob::ends_when_gone() const {
    const auto& finalizers = metadata().finalizers;
    return settings().defer_ray_service_finalization && is_fault_tolerant() &&
           std::ranges::any_of(finalizers, is_awaited_by_ray);
}

std::optional<json::Value> RayJob::complete() const {
    const json::Value* mode = value().find_path({"spec", "submissionMode"});
    const json::Value* cluster = cluster_spec();
    const json::Value* submitter = value().find_path({"spec", "submitterPodTemplate"});
    if (description().kind != "RayJob" || mode == nullptr || *mode != json::Value("K8sJobMode") ||
        cluster == nullptr || (submitter != nullptr && submitter->is_object())) {
        return std::nullopt;
    }
    json::Value completed = value();
    completed.find("spec")->set("submitterPodTemplate", default_submitter(*cluster));
    return completed;
}

void RayJob::amend(std::string_view pod_set, json::Value& pod_template) const {
    const json::Value* cluster = cluster_spec();
    if (pod_set != kHead || cluster == nullptr) {
        return;
    }
    if (is_fault_tolerant()) {
        raise_to_redis_cleanup(pod_template);
    }
    if (is_set_true(cluster->find("enableInTreeAutoscaling"))) {
        add_container(pod_template, "autoscaler", autoscaler_resources(*cluster));
    }
    const json::Value* mode = value().find_path({"spec", "submissionMode"});
    if (description().kind == "RayJob" && mode != nullptr && *mode == json::Value("SidecarMode")) {
        add_container(pod_template, kSubmitter, submitter_resources());
    }
}

}  // namespace sluice::controller
