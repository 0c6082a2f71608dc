#include "apiserver/defaults/builtin_defaults.hpp"

#include "api/kueue/kueue_names.hpp"
#include "apiserver/defaults/pod_defaults.hpp"
#include "apiserver/defaults/resource_defaults.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/schema/go_form.hpp"
#include "apiserver/types/builtin_schemas.hpp"
#include "kube/core/base64.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";

void apply_job_spec_defaults(Value& spec) {
    apply_pod_template_defaults(object_at(spec, "template"));
    const bool is_open = spec.find("completions") == nullptr;
    if (is_open && spec.find("parallelism") == nullptr) {
        spec.set("completions", 1);
    }
    set_default(spec, "parallelism", 1);
    const bool counts_by_index = spec.find("backoffLimitPerIndex") != nullptr;
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    set_default(spec, "backoffLimit", counts_by_index ? kMost : std::int64_t{6});
    set_default(spec, "completionMode", "NonIndexed");
    set_default(spec, "suspend", false);
    set_default(spec, "manualSelector", false);
    const bool has_policy = spec.find("podFailurePolicy") != nullptr;
    set_default(spec, "podReplacementPolicy", has_policy ? "Failed" : "TerminatingOrFailed");
    Value* policy = spec.find("podFailurePolicy");
    Value* rules = policy == nullptr ? nullptr : policy->find("rules");
    if (rules == nullptr || !rules->is_array()) {
        return;
    }
    for (auto& rule : rules->as_array()) {
        Value* conditions = rule.find("onPodConditions");
        if (conditions != nullptr && conditions->is_array()) {
            for (auto& condition : conditions->as_array()) {
                if (condition.string_at("status").empty()) {
                    condition.set("status", "True");
                }
            }
        }
    }
}

void apply_job_defaults(Value& job) {
    apply_job_spec_defaults(object_at(job, "spec"));
    Value& metadata = object_at(job, "metadata");
    const Value* labels = job.find_path({"spec", "template", "metadata", "labels"});
    const Value* own = metadata.find("labels");
    if (labels != nullptr && (own == nullptr || members_of(own).empty())) {
        metadata.set("labels", Value(*labels));
    }
}

void apply_cron_job_defaults(Value& cron_job) {
    Value& spec = object_at(cron_job, "spec");
    set_default(spec, "concurrencyPolicy", "Allow");
    set_default(spec, "suspend", false);
    set_default(spec, "successfulJobsHistoryLimit", 3);
    set_default(spec, "failedJobsHistoryLimit", 1);
    Value& job = object_at(object_at(spec, "jobTemplate"), "spec");
    apply_pod_template_defaults(object_at(job, "template"));
}

void apply_deployment_defaults(Value& deployment) {
    Value& spec = object_at(deployment, "spec");
    apply_pod_template_defaults(object_at(spec, "template"));
    set_default(spec, "replicas", 1);
    set_default(spec, "revisionHistoryLimit", 10);
    set_default(spec, "progressDeadlineSeconds", 600);
    Value& strategy = object_at(spec, "strategy");
    if (strategy.string_at("type").empty()) {
        strategy.set("type", "RollingUpdate");
    }
    if (strategy.string_at("type") == "RollingUpdate") {
        Value& rolling = object_at(strategy, "rollingUpdate");
        set_default(rolling, "maxUnavailable", "25%");
        set_default(rolling, "maxSurge", "25%");
    }
}

void apply_replica_set_defaults(Value& replica_set) {
    Value& spec = object_at(replica_set, "spec");
    apply_pod_template_defaults(object_at(spec, "template"));
    set_default(spec, "replicas", 1);
}

void apply_claim_defaults(Value& claim) {
    set_default(object_at(claim, "spec"), "volumeMode", "Filesystem");
    if (object_at(claim, "status").string_at("phase").empty()) {
        object_at(claim, "status").set("phase", "Pending");
    }
}

void apply_stateful_set_defaults(Value& stateful_set) {
    Value& spec = object_at(stateful_set, "spec");
    apply_pod_template_defaults(object_at(spec, "template"));
    set_default(spec, "podManagementPolicy", "OrderedReady");
    set_default(spec, "replicas", 1);
    set_default(spec, "revisionHistoryLimit", 10);
    Value& strategy = object_at(spec, "updateStrategy");
    if (strategy.string_at("type").empty()) {
        strategy.set("type", "RollingUpdate");
        set_default(object_at(strategy, "rollingUpdate"), "partition", 0);
    } else if (strategy.string_at("type") == "RollingUpdate" &&
               strategy.find("rollingUpdate") != nullptr) {
        set_default(object_at(strategy, "rollingUpdate"), "partition", 0);
    }
    Value& retention = object_at(spec, "persistentVolumeClaimRetentionPolicy");
    set_default(retention, "whenDeleted", "Retain");
    set_default(retention, "whenScaled", "Retain");
    if (Value* claims = spec.find("volumeClaimTemplates");
        claims != nullptr && claims->is_array()) {
        for (auto& claim : claims->as_array()) {
            set_default(claim, "apiVersion", "v1");
            set_default(claim, "kind", "PersistentVolumeClaim");
            apply_claim_defaults(claim);
        }
    }
}

void apply_daemon_set_defaults(Value& daemon_set) {
    Value& annotations = object_at(object_at(daemon_set, "metadata"), "annotations");
    set_default(annotations, "deprecated.daemonset.template.generation", "0");
    Value& spec = object_at(daemon_set, "spec");
    apply_pod_template_defaults(object_at(spec, "template"));
    set_default(spec, "revisionHistoryLimit", 10);
    Value& strategy = object_at(spec, "updateStrategy");
    if (strategy.string_at("type").empty()) {
        strategy.set("type", "RollingUpdate");
    }
    if (strategy.string_at("type") == "RollingUpdate") {
        Value& rolling = object_at(strategy, "rollingUpdate");
        set_default(rolling, "maxUnavailable", 1);
        set_default(rolling, "maxSurge", 0);
    }
}

void apply_replication_controller_defaults(Value& controller) {
    apply_replica_set_defaults(controller);
    Value& spec = object_at(controller, "spec");
    const Value* found = spec.find_path({"template", "metadata", "labels"});
    if (found == nullptr) {
        return;
    }
    const Value labels = *found;
    set_default(spec, "selector", labels);
    set_default(object_at(controller, "metadata"), "labels", labels);
}

void apply_secret_defaults(Value& secret) {
    if (const Value* texts = secret.find("stringData"); texts != nullptr && texts->is_object()) {
        const Object given = texts->as_object();
        Value& data = object_at(secret, "data");
        for (const auto& [name, text] : given) {
            data.set(name, text.is_string() ? Value(kube::encode_base64(text.as_string())) : text);
        }
        secret.erase("stringData");
    }
    set_default(secret, "type", "Opaque");
}

void apply_service_defaults(Value& service) {
    Value& spec = object_at(service, "spec");
    set_default(spec, "sessionAffinity", "None");
    set_default(spec, "type", "ClusterIP");
    if (spec.string_at("type") != "ExternalName") {
        set_default(spec, "internalTrafficPolicy", "Cluster");
    }
    Value* ports = spec.find("ports");
    if (ports != nullptr && ports->is_array()) {
        for (auto& port : ports->as_array()) {
            set_default(port, "protocol", "TCP");
            const Value* target = port.find("targetPort");
            if (target == nullptr || *target == Value(0) || *target == Value("")) {
                port.set("targetPort", int_at(port, "port", 0));
            }
        }
    }
}

void apply_namespace_defaults(Value& space) {
    Value& metadata = object_at(space, "metadata");
    const std::string name(metadata.string_at("name"));
    if (!name.empty()) {
        object_at(metadata, "labels").set("kubernetes.io/metadata.name", name);
    }
    Value& status = object_at(space, "status");
    if (status.string_at("phase").empty()) {
        status.set("phase", api::condition::kActive);
    }
}

void apply_node_defaults(Value& node) {
    Value& spec = object_at(node, "spec");
    if (const auto range = std::string(spec.string_at("podCIDR")); !range.empty()) {
        set_default(spec, "podCIDRs", Array{range});
    }
    Value& status = object_at(node, "status");
    const Value* capacity = status.find("capacity");
    if (capacity != nullptr && status.find("allocatable") == nullptr) {
        status.set("allocatable", Value(*capacity));
    }
}

void apply_limit_range_defaults(Value& range) {
    Value* limits = object_at(range, "spec").find("limits");
    if (limits == nullptr || !limits->is_array()) {
        return;
    }
    for (auto& limit : limits->as_array()) {
        if (limit.string_at("type") != "Container") {
            continue;
        }
        const auto fill = [&](std::string_view to, std::string_view from) {
            const Object given = members_of(limit.find(from));
            for (const auto& [name, amount] : given) {
                set_default(object_at(limit, to), name, amount);
            }
        };
        fill("default", "max");
        fill("defaultRequest", "default");
        fill("defaultRequest", "min");
    }
}

void apply_webhook_defaults(Value& configuration) {
    const bool mutates = configuration.string_at("kind") == "MutatingWebhookConfiguration";
    Value* webhooks = configuration.find("webhooks");
    if (webhooks == nullptr || !webhooks->is_array()) {
        return;
    }
    for (auto& webhook : webhooks->as_array()) {
        set_default(webhook, "failurePolicy", "Fail");
        set_default(webhook, "matchPolicy", "Equivalent");
        set_default(webhook, "namespaceSelector", Object{});
        set_default(webhook, "objectSelector", Object{});
        set_default(webhook, "timeoutSeconds", 10);
        if (mutates) {
            set_default(webhook, "reinvocationPolicy", "Never");
        }
        Value& client = object_at(webhook, "clientConfig");
        if (Value* service = client.find("service"); service != nullptr && service->is_object()) {
            set_default(*service, "port", 443);
        }
        if (Value* rules = webhook.find("rules"); rules != nullptr && rules->is_array()) {
            for (auto& rule : rules->as_array()) {
                set_default(rule, "scope", "*");
            }
        }
    }
}

void apply_binding_defaults(Value& binding) {
    Value& role = object_at(binding, "roleRef");
    if (role.string_at("apiGroup").empty()) {
        role.set("apiGroup", std::string(kRbac));
    }
    if (Value* subjects = binding.find("subjects"); subjects != nullptr && subjects->is_array()) {
        for (auto& subject : subjects->as_array()) {
            const auto kind = subject.string_at("kind");
            if ((kind == "User" || kind == "Group") && subject.string_at("apiGroup").empty()) {
                subject.set("apiGroup", std::string(kRbac));
            }
        }
    }
}

void apply_priority_class_defaults(Value& priority_class) {
    set_default(priority_class, "preemptionPolicy", "PreemptLowerPriority");
}

void apply_definition_defaults(Value& definition) {
    Value& spec = object_at(definition, "spec");
    Value& names = object_at(spec, "names");
    const std::string kind(names.string_at("kind"));
    if (names.string_at("singular").empty() && !kind.empty()) {
        std::string singular = kind;
        std::transform(singular.begin(), singular.end(), singular.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        names.set("singular", singular);
    }
    if (names.string_at("listKind").empty() && !kind.empty()) {
        names.set("listKind", kind + "List");
    }
    Value& conversion = object_at(spec, "conversion");
    set_default(conversion, "strategy", "None");
    Value* webhook = conversion.find("webhook");
    Value* service =
        webhook == nullptr || !webhook->is_object() || webhook->find("clientConfig") == nullptr
            ? nullptr
            : webhook->find("clientConfig")->find("service");
    if (service != nullptr && service->is_object()) {
        set_default(*service, "port", 443);
    }
}

void apply_api_service_defaults(Value& api_service) {
    Value* service = object_at(api_service, "spec").find("service");
    if (service != nullptr && service->is_object()) {
        set_default(*service, "port", 443);
    }
}

void apply_policy_defaults(Value& policy) {
    Value& spec = object_at(policy, "spec");
    set_default(spec, "failurePolicy", "Fail");
    if (Value* match = spec.find("matchConstraints"); match != nullptr && match->is_object()) {
        set_default(*match, "matchPolicy", "Equivalent");
        set_default(*match, "namespaceSelector", Object{});
        set_default(*match, "objectSelector", Object{});
        for (const auto* list : {"resourceRules", "excludeResourceRules"}) {
            if (Value* rules = match->find(list); rules != nullptr && rules->is_array()) {
                for (auto& rule : rules->as_array()) {
                    set_default(rule, "scope", "*");
                }
            }
        }
    }
}

struct KindDefaults {
    std::string_view group;
    std::string_view kind;
    void (*apply)(Value& object);
};

constexpr std::array<KindDefaults, 23> kKinds{{
    {"", "LimitRange", apply_limit_range_defaults},
    {"", "Namespace", apply_namespace_defaults},
    {"", "Node", apply_node_defaults},
    {"", "PersistentVolumeClaim", apply_claim_defaults},
    {"", "Pod", apply_pod_defaults},
    {"",
     "PodTemplate",
     [](Value& object) { apply_pod_template_defaults(object_at(object, "template")); }},
    {"", "ReplicationController", apply_replication_controller_defaults},
    {"", "Secret", apply_secret_defaults},
    {"", "Service", apply_service_defaults},
    {"admissionregistration.k8s.io", "MutatingWebhookConfiguration", apply_webhook_defaults},
    {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", apply_webhook_defaults},
    {"admissionregistration.k8s.io", "ValidatingAdmissionPolicy", apply_policy_defaults},
    {"apiextensions.k8s.io", "CustomResourceDefinition", apply_definition_defaults},
    {"apiregistration.k8s.io", "APIService", apply_api_service_defaults},
    {"apps", "DaemonSet", apply_daemon_set_defaults},
    {"apps", "Deployment", apply_deployment_defaults},
    {"apps", "ReplicaSet", apply_replica_set_defaults},
    {"apps", "StatefulSet", apply_stateful_set_defaults},
    {"batch", "CronJob", apply_cron_job_defaults},
    {"batch", "Job", apply_job_defaults},
    {kRbac, "ClusterRoleBinding", apply_binding_defaults},
    {kRbac, "RoleBinding", apply_binding_defaults},
    {"scheduling.k8s.io", "PriorityClass", apply_priority_class_defaults},
}};

}  // namespace

void apply_builtin_defaults(
    std::string_view group, std::string_view version, std::string_view kind, Value& object
) {
    const auto schema = builtin_schema(group, version, kind);
    if (schema == nullptr || !object.is_object()) {
        return;
    }
    bring_to_go_form(*schema, object);
    const auto* found = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& entry) {
        return entry.group == group && entry.kind == kind;
    });
    const bool is_resource = apply_resource_defaults(group, kind, object);
    if (found != kKinds.end() || is_resource) {
        if (found != kKinds.end()) {
            found->apply(object);
        }
        // Defaults may have added parts, which Go prints in full.
        bring_to_go_form(*schema, object);
        // bring_to_go_form() removes a default that is an empty string.
        apply_resource_defaults(group, kind, object);
    }
}

}  // namespace sluice::apiserver
