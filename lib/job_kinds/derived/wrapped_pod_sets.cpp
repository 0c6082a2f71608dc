#include "job_kinds/derived/wrapped_pod_sets.hpp"

#include "job_kinds/derived/app_wrapper_annotations.hpp"
#include "job_kinds/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace sluice::job_kinds {

namespace {

constexpr std::string_view kRoot = "template";
constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view kJobIndex = "jobset.sigs.k8s.io/job-index";
constexpr std::string_view kReplicaIndex = "training.kubeflow.org/replica-index";

Path compiled(std::string_view text) {
    auto path = Path::compile(text);
    return path ? std::move(*path) : Path();
}

std::int64_t number_at(const json::Value& value, std::string_view path, std::int64_t otherwise) {
    const json::Value* found = compiled(path).find(value);
    return found != nullptr && found->is_int() ? found->as_int() : otherwise;
}

/// Returns the number of pods that a batch Job with that spec runs at the same time.
std::int64_t pods_of_job(const json::Value& spec) {
    const std::int64_t parallelism = number_at(spec, "parallelism", 1);
    return std::min(parallelism, number_at(spec, "completions", parallelism));
}

/// Multiplies two counts, saturating. Nothing has checked the counts of a wrapped object before; a
/// product that is too large is rejected later.
std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max()
                                                  : product;
}

json::Value pod_set(std::string path, json::Value replicas, json::Object annotations = {}) {
    json::Value made = json::Object{{"replicas", std::move(replicas)}, {"path", std::move(path)}};
    if (!annotations.empty()) {
        made.set("annotations", std::move(annotations));
    }
    return made;
}

/// Returns the pod set of a replica description, which may have a number of replicas.
json::Value replica_pod_set(const Found& replica, std::string_view label = {}) {
    const json::Value* said = replica.value->find("replicas");
    json::Object annotations;
    if (!label.empty()) {
        annotations.emplace_back(app_wrapper_annotation::kPodIndexLabel, label);
    }
    return pod_set(
        to_string(replica.location) + ".template",
        said == nullptr || said->is_null() ? json::Value(1) : *said,
        std::move(annotations)
    );
}

/// Adds the pod sets of the replicas that have a template.
void add_replicas(
    const json::Value& component, std::string_view path, std::string_view label, json::Array& into
) {
    for (const Found& replica : compiled(path).find_all(component)) {
        if (replica.value->find("template") != nullptr) {
            into.push_back(replica_pod_set(replica, label));
        }
    }
}

json::Array pod_sets_of_job(const json::Value& component) {
    const json::Value* spec = component.find_path({"template", "spec"});
    return {pod_set(
        "template.spec.template",
        spec == nullptr ? 1 : pods_of_job(*spec),
        {{app_wrapper_annotation::kPodIndexLabel, kCompletionIndex}}
    )};
}

json::Array pod_sets_of_job_set(const json::Value& component) {
    json::Array made;
    for (const Found& job : compiled("template.spec.replicatedJobs[*]").find_all(component)) {
        const json::Value* spec = job.value->find_path({"template", "spec"});
        if (job.value->find("template") == nullptr) {
            continue;
        }
        const std::int64_t replicas = number_at(*job.value, "replicas", 1);
        const std::int64_t pods = spec == nullptr ? 1 : pods_of_job(*spec);
        made.push_back(pod_set(
            to_string(job.location) + ".template.spec.template",
            saturated_product(replicas, pods),
            {{app_wrapper_annotation::kPodIndexLabel, kCompletionIndex},
             {app_wrapper_annotation::kSubGroupIndexLabel, kJobIndex},
             {app_wrapper_annotation::kSubGroupCount, std::to_string(replicas)}}
        ));
    }
    return made;
}

json::Array pod_sets_of_ray(const json::Value& component, std::string_view cluster) {
    json::Array made{pod_set(fmt::format("{}.headGroupSpec.template", cluster), 1)};
    add_replicas(component, fmt::format("{}.workerGroupSpecs[*]", cluster), {}, made);
    return made;
}

/// Returns the pod sets of an object of a known kind; empty for other kinds.
json::Array known_pod_sets(const json::Value& component) {
    const json::Value* wrapped = component.find(kRoot);
    if (wrapped == nullptr) {
        return {};
    }
    const std::string kind =
        fmt::format("{} {}", wrapped->string_at("apiVersion"), wrapped->string_at("kind"));
    json::Array made;
    if (kind == "batch/v1 Job") {
        return pod_sets_of_job(component);
    }
    if (kind == "jobset.x-k8s.io/v1alpha2 JobSet") {
        return pod_sets_of_job_set(component);
    }
    if (kind == "kubeflow.org/v1 PyTorchJob") {
        for (const char* type : {"Master", "Worker"}) {
            const std::string path = fmt::format("template.spec.pytorchReplicaSpecs.{}", type);
            add_replicas(component, path, kReplicaIndex, made);
        }
    } else if (kind == "ray.io/v1 RayCluster") {
        return pod_sets_of_ray(component, "template.spec");
    } else if (kind == "ray.io/v1 RayJob") {
        return pod_sets_of_ray(component, "template.spec.rayClusterSpec");
    } else if (kind == "v1 Pod") {
        made.push_back(pod_set(std::string(kRoot), 1));
    } else if (kind == "apps/v1 Deployment" || kind == "apps/v1 StatefulSet") {
        add_replicas(component, "template.spec", {}, made);
    }
    return made;
}

/// Returns the fields of a container that Kueue copies. The API server fills in the other fields
/// when the component is created, so they cannot be compared here.
json::Value container_of(const json::Value& whole) {
    json::Value made = json::Object{};
    for (const std::string_view member :
         {"name",
          "image",
          "command",
          "args",
          "resources",
          "restartPolicy",
          "imagePullPolicy",
          "securityContext",
          "terminationMessagePath",
          "terminationMessagePolicy"}) {
        if (const json::Value* value = whole.find(member)) {
            made.set(member, *value);
        }
    }
    return made;
}

/// Returns the pod template at a path, which leads to a pod template or a Pod.
json::Value template_of(const json::Value& whole, const json::Value& spec) {
    json::Value made = json::Object{};
    for (const std::string_view member : {"labels", "annotations"}) {
        if (const json::Value* value = whole.find_path({"metadata", member})) {
            const json::Value* metadata = made.find("metadata");
            json::Value changed = metadata == nullptr ? json::Value(json::Object{}) : *metadata;
            changed.set(member, *value);
            made.set("metadata", std::move(changed));
        }
    }
    json::Value pod_spec = spec;
    for (const std::string_view list : {"containers", "initContainers"}) {
        json::Value* containers = pod_spec.find(list);
        if (containers != nullptr && containers->is_array()) {
            for (json::Value& container : containers->as_array()) {
                container = container_of(container);
            }
        }
    }
    made.set("spec", std::move(pod_spec));
    return made;
}

Result<json::Value> template_at(const json::Value& component, std::string_view path) {
    const bool is_below_root =
        path.starts_with(kRoot) &&
        (path.size() == kRoot.size() || path[kRoot.size()] == '.' || path[kRoot.size()] == '[');
    if (!is_below_root) {
        return make_invalid(fmt::format("\"{}\" does not begin with \"template\"", path));
    }
    const auto way = Path::compile(path);
    if (!way) {
        return way.error();
    }
    if (!way->is_single()) {
        return make_invalid(fmt::format("\"{}\" leads to more than one place", path));
    }
    const json::Value* found = way->find(component);
    const json::Value* spec = found == nullptr ? nullptr : found->find("spec");
    if (spec == nullptr || !spec->is_object()) {
        return make_invalid(fmt::format("no pod template at \"{}\"", path));
    }
    return template_of(*found, *spec);
}

}  // namespace

Result<json::Array> wrapped_pod_sets(
    const json::Value& component, const json::Value* settled, std::string_view place
) {
    const json::Value* said = settled == nullptr ? component.find("podSets") : settled;
    const bool are_said =
        said != nullptr && said->is_array() && (settled != nullptr || !said->as_array().empty());
    json::Array pod_sets = are_said ? said->as_array() : known_pod_sets(component);
    for (std::size_t i = 0; i < pod_sets.size(); ++i) {
        json::Value& one = pod_sets[i];
        const std::string at = fmt::format("{}.podSets[{}]", place, i);
        if (!one.is_object()) {
            return make_invalid(at + ": must be an object");
        }
        auto pod_template = template_at(component, one.string_at("path"));
        if (!pod_template) {
            return with_context(
                pod_template.error(), are_said ? at + ".path" : fmt::format("{}.template", place)
            );
        }
        one.set("template", std::move(*pod_template));
    }
    return pod_sets;
}

}  // namespace sluice::job_kinds
