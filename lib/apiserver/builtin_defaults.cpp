#include "apiserver/builtin_defaults.hpp"

#include "api/kueue_names.hpp"
#include "apiserver/schema.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

void set_default(json::Value& object, std::string_view name, json::Value value) {
    const json::Value* present = object.find(name);
    if (present == nullptr || present->is_null()) {
        object.set(name, std::move(value));
    }
}

json::Value* object_at(json::Value& object, std::initializer_list<std::string_view> path) {
    json::Value* at = &object;
    for (const std::string_view name : path) {
        json::Value* next = at->find(name);
        if (next == nullptr || !next->is_object()) {
            next = &at->set(name, json::Object());
        }
        at = next;
    }
    return at;
}

std::string_view pull_policy(std::string_view image) {
    const std::size_t colon = image.rfind(':');
    const bool has_tag =
        colon != std::string_view::npos && image.find('/', colon) == std::string_view::npos;
    const bool is_latest = !has_tag || image.substr(colon + 1) == "latest";
    return is_latest && image.find('@') == std::string_view::npos ? "Always" : "IfNotPresent";
}

/// Limits are requests where nothing else is said.
void default_requests(json::Value& container) {
    json::Value* resources = &*object_at(container, {"resources"});
    const json::Value* limits = resources->find("limits");
    if (limits == nullptr || !limits->is_object()) {
        return;
    }
    const json::Value wanted = *limits;
    json::Value* requests = object_at(*resources, {"requests"});
    for (const auto& [name, amount] : wanted.as_object()) {
        set_default(*requests, name, amount);
    }
}

void default_variables(json::Value& container) {
    json::Value* variables = container.find("env");
    if (variables == nullptr || !variables->is_array()) {
        return;
    }
    for (json::Value& variable : variables->as_array()) {
        json::Value* source = variable.find("valueFrom");
        json::Value* field = source == nullptr ? nullptr : source->find("fieldRef");
        if (field != nullptr && field->is_object()) {
            set_default(*field, "apiVersion", "v1");
        }
    }
}

void default_containers(json::Value& spec, std::string_view list) {
    json::Value* containers = spec.find(list);
    if (containers == nullptr || !containers->is_array()) {
        return;
    }
    for (json::Value& container : containers->as_array()) {
        if (!container.is_object()) {
            continue;
        }
        default_requests(container);
        set_default(container, "terminationMessagePath", "/dev/termination-log");
        set_default(container, "terminationMessagePolicy", "File");
        set_default(container, "imagePullPolicy", pull_policy(container.string_at("image")));
        default_variables(container);
        if (json::Value* ports = container.find("ports"); ports != nullptr && ports->is_array()) {
            for (json::Value& port : ports->as_array()) {
                set_default(port, "protocol", "TCP");
            }
        }
    }
}

void default_pod_spec(json::Value& spec) {
    set_default(spec, "restartPolicy", "Always");
    set_default(spec, "terminationGracePeriodSeconds", 30);
    set_default(spec, "dnsPolicy", "ClusterFirst");
    set_default(spec, "securityContext", json::Object());
    set_default(spec, "schedulerName", "default-scheduler");
    default_containers(spec, "containers");
    default_containers(spec, "initContainers");
}

void default_job_spec(json::Value& spec) {
    const bool has_neither =
        spec.find("completions") == nullptr && spec.find("parallelism") == nullptr;
    if (has_neither) {
        spec.set("completions", 1);
    }
    set_default(spec, "parallelism", 1);
    const bool is_per_index = spec.find("backoffLimitPerIndex") != nullptr;
    set_default(spec, "backoffLimit", is_per_index ? 2147483647 : 6);
    set_default(spec, "completionMode", "NonIndexed");
    set_default(spec, "suspend", false);
    set_default(spec, "manualSelector", false);
    set_default(
        spec,
        "podReplacementPolicy",
        spec.find("podFailurePolicy") != nullptr ? "Failed" : "TerminatingOrFailed"
    );
    default_pod_spec(*object_at(spec, {"template", "spec"}));
}

void default_apps_spec(std::string_view kind, json::Value& spec) {
    if (kind != "DaemonSet") {
        set_default(spec, "replicas", 1);
    }
    if (kind == "Deployment") {
        set_default(spec, "revisionHistoryLimit", 10);
        set_default(spec, "progressDeadlineSeconds", 600);
        json::Value* strategy = object_at(spec, {"strategy"});
        set_default(*strategy, "type", "RollingUpdate");
        if (strategy->string_at("type") == "RollingUpdate") {
            json::Value* rolling = object_at(*strategy, {"rollingUpdate"});
            set_default(*rolling, "maxUnavailable", "25%");
            set_default(*rolling, "maxSurge", "25%");
        }
    }
    if (kind == "StatefulSet") {
        set_default(spec, "podManagementPolicy", "OrderedReady");
        set_default(spec, "revisionHistoryLimit", 10);
        json::Value* strategy = object_at(spec, {"updateStrategy"});
        set_default(*strategy, "type", "RollingUpdate");
        if (strategy->string_at("type") == "RollingUpdate") {
            set_default(*object_at(*strategy, {"rollingUpdate"}), "partition", 0);
        }
        json::Value* retention = object_at(spec, {"persistentVolumeClaimRetentionPolicy"});
        set_default(*retention, "whenDeleted", "Retain");
        set_default(*retention, "whenScaled", "Retain");
    }
    default_pod_spec(*object_at(spec, {"template", "spec"}));
}

void default_webhooks(std::string_view kind, json::Value& object) {
    json::Value* hooks = object.find("webhooks");
    if (hooks == nullptr || !hooks->is_array()) {
        return;
    }
    for (json::Value& hook : hooks->as_array()) {
        set_default(hook, "failurePolicy", "Fail");
        set_default(hook, "matchPolicy", "Equivalent");
        set_default(hook, "namespaceSelector", json::Object());
        set_default(hook, "objectSelector", json::Object());
        set_default(hook, "timeoutSeconds", 10);
        if (kind == "MutatingWebhookConfiguration") {
            set_default(hook, "reinvocationPolicy", "Never");
        }
        if (json::Value* rules = hook.find("rules"); rules != nullptr && rules->is_array()) {
            for (json::Value& rule : rules->as_array()) {
                set_default(rule, "scope", "*");
            }
        }
        if (json::Value* service = hook.find("clientConfig")) {
            if (json::Value* named = service->find("service")) {
                set_default(*named, "port", 443);
            }
        }
    }
}

/// A Job without labels has those of its pods.
void default_job_labels(json::Value& job) {
    const json::Value* labels = job.find_path({"metadata", "labels"});
    const json::Value* of_pods = job.find_path({"spec", "template", "metadata", "labels"});
    const bool has_own = labels != nullptr && labels->is_object() && !labels->as_object().empty();
    if (!has_own && of_pods != nullptr && of_pods->is_object() && !of_pods->as_object().empty()) {
        const json::Value copied = *of_pods;
        object_at(job, {"metadata"})->set("labels", copied);
    }
}

/// Labels of a Job's pods, and the selector that finds them.
void label_job(json::Value& job) {
    json::Value& spec = *object_at(job, {"spec"});
    const json::Value* manual = spec.find("manualSelector");
    if (manual != nullptr && *manual == json::Value(true)) {
        return;
    }
    const std::string uid(job.find("metadata")->string_at("uid"));
    const std::string name(job.find("metadata")->string_at("name"));
    json::Value* labels = object_at(spec, {"template", "metadata", "labels"});
    labels->set("batch.kubernetes.io/controller-uid", uid);
    labels->set("batch.kubernetes.io/job-name", name);
    labels->set("controller-uid", uid);
    labels->set("job-name", name);
    if (spec.find("selector") == nullptr) {
        spec.set(
            "selector",
            json::Object{{"matchLabels", json::Object{{"batch.kubernetes.io/controller-uid", uid}}}}
        );
    }
}

/// The QoS class by the requests and limits of all containers.
std::string_view quality_of_service(const json::Value& spec) {
    bool has_any = false;
    bool is_guaranteed = true;
    for (const char* list : {"containers", "initContainers"}) {
        const json::Value* containers = spec.find(list);
        if (containers == nullptr || !containers->is_array()) {
            continue;
        }
        for (const json::Value& container : containers->as_array()) {
            for (const char* resource : {"cpu", "memory"}) {
                const json::Value* request =
                    container.find_path({"resources", "requests", resource});
                const json::Value* limit = container.find_path({"resources", "limits", resource});
                has_any = has_any || request != nullptr || limit != nullptr;
                is_guaranteed =
                    is_guaranteed && limit != nullptr && (request == nullptr || *request == *limit);
            }
        }
    }
    return !has_any ? "BestEffort" : is_guaranteed ? "Guaranteed" : "Burstable";
}

void add_toleration(json::Value& spec, std::string_view key) {
    json::Value* tolerations = spec.find("tolerations");
    if (tolerations == nullptr || !tolerations->is_array()) {
        tolerations = &spec.set("tolerations", json::Array());
    }
    for (const json::Value& each : tolerations->as_array()) {
        const std::string_view effect = each.string_at("effect");
        const bool covers_effect = effect.empty() || effect == "NoExecute";
        if (covers_effect && (each.string_at("key") == key || each.string_at("key").empty())) {
            return;
        }
    }
    tolerations->as_array().emplace_back(json::Object{
        {"key", key}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", 300}
    });
}

Result<void> set_priority(const State& state, const ResourceType& type, json::Value& pod) {
    json::Value& spec = *object_at(pod, {"spec"});
    const std::string_view name = spec.string_at("priorityClassName");
    std::int64_t priority = 0;
    std::string policy = "PreemptLowerPriority";
    const Collection classes{"scheduling.k8s.io", "priorityclasses"};
    if (name == "system-cluster-critical" || name == "system-node-critical") {
        priority = name == "system-node-critical" ? 2'000'001'000 : 2'000'000'000;
    } else if (!name.empty()) {
        const Snapshot found = state.store.find(classes, {"", std::string(name)});
        if (!found) {
            return forbidden(
                type,
                pod.find("metadata")->string_at("name"),
                fmt::format("no PriorityClass with name {} was found", name)
            );
        }
        const json::Value* value = found->find("value");
        priority = value != nullptr && value->is_int() ? value->as_int() : 0;
        if (!found->string_at("preemptionPolicy").empty()) {
            policy = found->string_at("preemptionPolicy");
        }
    } else {
        for (const auto& [key, object] : state.store.objects(classes)) {
            const json::Value* is_default = object->find("globalDefault");
            if (is_default != nullptr && *is_default == json::Value(true)) {
                priority = object->find("value")->as_int();
                spec.set("priorityClassName", key.name);
            }
        }
    }
    spec.set("priority", priority);
    set_default(spec, "preemptionPolicy", policy);
    return {};
}

Result<void> prepare_pod(const State& state, const ResourceType& type, json::Value& pod) {
    json::Value& spec = *object_at(pod, {"spec"});
    set_default(spec, "enableServiceLinks", true);
    set_default(spec, "serviceAccountName", "default");
    set_default(spec, "serviceAccount", spec.string_at("serviceAccountName"));
    add_toleration(spec, "node.kubernetes.io/not-ready");
    add_toleration(spec, "node.kubernetes.io/unreachable");
    pod.set("status", json::Object{{"phase", "Pending"}, {"qosClass", quality_of_service(spec)}});
    return set_priority(state, type, pod);
}

void prepare_namespace(json::Value& object) {
    object_at(object, {"metadata", "labels"})
        ->set("kubernetes.io/metadata.name", object.find("metadata")->string_at("name"));
    object_at(object, {"spec"})->set("finalizers", json::Array{"kubernetes"});
    object.set("status", json::Object{{"phase", api::condition::kActive}});
}

/// `stringData` is another way to write `data`.
void join_string_data(json::Value& secret) {
    const json::Value* texts = secret.find("stringData");
    if (texts == nullptr || !texts->is_object()) {
        return;
    }
    const json::Value all = *texts;
    for (const auto& [name, text] : all.as_object()) {
        const std::string_view bytes = text.is_string() ? text.as_string() : std::string_view();
        object_at(secret, {"data"})->set(name, kube::encode_base64(bytes));
    }
    secret.erase("stringData");
}

}  // namespace

void apply_builtin_defaults(const ResourceType& type, json::Value& object) {
    if (type.is_custom) {
        return;
    }
    if (type.kind == "Pod") {
        default_pod_spec(*object_at(object, {"spec"}));
    } else if (type.kind == "Job") {
        default_job_spec(*object_at(object, {"spec"}));
        default_job_labels(object);
    } else if (type.group == "apps") {
        default_apps_spec(type.kind, *object_at(object, {"spec"}));
    } else if (type.kind == "Secret") {
        set_default(object, "type", "Opaque");
        join_string_data(object);
    } else if (type.group == "admissionregistration.k8s.io") {
        default_webhooks(type.kind, object);
    } else if (type.kind == "PriorityClass") {
        set_default(object, "preemptionPolicy", "PreemptLowerPriority");
    } else if (type.kind == "CronJob") {
        json::Value& spec = *object_at(object, {"spec"});
        set_default(spec, "concurrencyPolicy", "Allow");
        set_default(spec, "suspend", false);
        set_default(spec, "successfulJobsHistoryLimit", 3);
        set_default(spec, "failedJobsHistoryLimit", 1);
    } else if (type.kind == "Service") {
        json::Value& spec = *object_at(object, {"spec"});
        set_default(spec, "type", "ClusterIP");
        set_default(spec, "sessionAffinity", "None");
        set_default(spec, "internalTrafficPolicy", "Cluster");
    }
}

Result<void> prepare_new_builtin(
    const State& state, const ResourceType& type, json::Value& object
) {
    if (type.is_custom) {
        return {};
    }
    if (type.kind == "Pod") {
        return prepare_pod(state, type, object);
    }
    if (type.kind == "Job") {
        const json::Value* labels = object.find_path({"metadata", "labels"});
        const json::Value* of_pods = object.find_path({"spec", "template", "metadata", "labels"});
        // Those that it has of its pods go on being the same.
        const bool has_those_of_pods =
            labels == nullptr || (of_pods != nullptr && *labels == *of_pods);
        label_job(object);
        if (has_those_of_pods) {
            object.find("metadata")->erase("labels");
            default_job_labels(object);
        }
    } else if (type.kind == "Namespace") {
        prepare_namespace(object);
    }
    return {};
}

}  // namespace sluice::apiserver
