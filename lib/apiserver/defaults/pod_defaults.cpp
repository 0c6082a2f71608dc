#include "apiserver/defaults/pod_defaults.hpp"

#include "apiserver/defaults/builtin_defaults.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/rules/pod_resources.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::int64_t kFileMode = 0644;

Array* list_at(Value& value, std::string_view name) {
    Value* found = value.find(name);
    return found != nullptr && found->is_array() ? &found->as_array() : nullptr;
}

Value* map_at(Value& value, std::string_view name) {
    Value* found = value.find(name);
    return found != nullptr && found->is_object() ? found : nullptr;
}

template <class Apply>
void for_each(Value& value, std::string_view name, const Apply& apply) {
    if (Array* items = list_at(value, name)) {
        for (auto& item : *items) {
            if (item.is_object()) {
                apply(item);
            }
        }
    }
}

/// Returns true if the image has the tag `latest` or neither tag nor digest. Such an image may
/// change, so its default pull policy is Always.
bool is_latest(std::string_view image) {
    const auto digest = image.find('@');
    auto name = image.substr(0, digest);
    const auto slash = name.rfind('/');
    name = slash == std::string_view::npos ? name : name.substr(slash + 1);
    const auto colon = name.rfind(':');
    if (colon == std::string_view::npos) {
        return digest == std::string_view::npos;
    }
    return name.substr(colon + 1) == "latest";
}

void apply_http_get_defaults(Value& handler) {
    if (Value* get = map_at(handler, "httpGet")) {
        set_default(*get, "path", "/");
        set_default(*get, "scheme", "HTTP");
    }
}

void apply_probe_defaults(Value& container, std::string_view name) {
    Value* probe = map_at(container, name);
    if (probe == nullptr) {
        return;
    }
    for (const auto& [field, number] :
         {std::pair<std::string_view, int>{"timeoutSeconds", 1},
          {"periodSeconds", 10},
          {"successThreshold", 1},
          {"failureThreshold", 3}}) {
        if (int_at(*probe, field, 0) == 0) {
            probe->set(field, number);
        }
    }
    apply_http_get_defaults(*probe);
    if (Value* grpc = map_at(*probe, "grpc")) {
        set_default(*grpc, "service", "");
    }
}

void apply_field_reference_defaults(Value& holder, std::string_view name) {
    if (Value* reference = map_at(holder, name)) {
        set_default(*reference, "apiVersion", "v1");
    }
}

void apply_container_defaults(Value& container, bool is_on_host_network) {
    if (container.string_at("imagePullPolicy").empty()) {
        const bool always = is_latest(container.string_at("image"));
        container.set("imagePullPolicy", always ? "Always" : "IfNotPresent");
    }
    set_default(container, "terminationMessagePath", "/dev/termination-log");
    set_default(container, "terminationMessagePolicy", "File");
    for (const auto* probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
        apply_probe_defaults(container, probe);
    }
    if (Value* lifecycle = map_at(container, "lifecycle")) {
        for (const auto* name : {"postStart", "preStop"}) {
            if (Value* handler = map_at(*lifecycle, name)) {
                apply_http_get_defaults(*handler);
            }
        }
    }
    for_each(container, "env", [](Value& variable) {
        if (Value* source = map_at(variable, "valueFrom")) {
            apply_field_reference_defaults(*source, "fieldRef");
        }
    });
    for_each(container, "ports", [&](Value& port) {
        if (is_on_host_network && int_at(port, "hostPort", 0) == 0) {
            port.set("hostPort", int_at(port, "containerPort", 0));
        }
    });
}

void apply_items_defaults(Value& source) {
    for_each(source, "items", [](Value& item) {
        apply_field_reference_defaults(item, "fieldRef");
    });
}

void apply_projected_defaults(Value& projected) {
    set_default(projected, "defaultMode", kFileMode);
    for_each(projected, "sources", [](Value& source) {
        if (Value* token = map_at(source, "serviceAccountToken")) {
            set_default(*token, "expirationSeconds", 3600);
        }
        if (Value* downward = map_at(source, "downwardAPI")) {
            apply_items_defaults(*downward);
        }
    });
}

void apply_volume_defaults(Value& volume) {
    if (volume.as_object().size() == (volume.find("name") == nullptr ? 0U : 1U)) {
        volume.set("emptyDir", Object{});
    }
    for (const auto* name : {"secret", "configMap", "downwardAPI"}) {
        if (Value* source = map_at(volume, name)) {
            set_default(*source, "defaultMode", kFileMode);
            apply_items_defaults(*source);
        }
    }
    if (Value* projected = map_at(volume, "projected")) {
        apply_projected_defaults(*projected);
    }
    if (Value* host_path = map_at(volume, "hostPath")) {
        set_default(*host_path, "type", "");
    }
}

void apply_spec_defaults(Value& spec) {
    set_default(spec, "dnsPolicy", "ClusterFirst");
    set_default(spec, "restartPolicy", "Always");
    set_default(spec, "securityContext", Object{});
    set_default(spec, "terminationGracePeriodSeconds", 30);
    set_default(spec, "schedulerName", "default-scheduler");
    const std::string account(
        spec.string_at("serviceAccountName").empty() ? spec.string_at("serviceAccount")
                                                     : spec.string_at("serviceAccountName")
    );
    if (!account.empty()) {
        spec.set("serviceAccountName", account);
        spec.set("serviceAccount", account);
    }
    const bool is_on_host_network = is_true(spec, "hostNetwork");
    for (const auto* list : {"containers", "initContainers", "ephemeralContainers"}) {
        for_each(spec, list, [&](Value& container) {
            apply_container_defaults(container, is_on_host_network);
        });
    }
    for_each(spec, "volumes", apply_volume_defaults);
}

/// Sets each request that is missing to the limit of the same resource.
void request_limits(Value& container) {
    Value* resources = map_at(container, "resources");
    const Value* limits = resources == nullptr ? nullptr : map_at(*resources, "limits");
    if (limits == nullptr || limits->as_object().empty()) {
        return;
    }
    const Value all = *limits;
    Value& requests = object_at(*resources, "requests");
    for (const auto& [name, amount] : all.as_object()) {
        set_default(requests, name, amount);
    }
}

/// Fills in the pod-level resources that a partly written pod-level `resources` lacks. Requires:
/// the containers have their defaults.
void request_for_pod(Value& spec) {
    Value* level = map_at(spec, "resources");
    if (level == nullptr) {
        return;
    }
    api::PodResources resources = read_pod_resources(spec);
    api::set_pod_level_defaults(resources);
    const auto fill = [level](const char* side, const api::ResourceList& amounts) {
        for (const auto& [name, amount] : amounts) {
            set_default(object_at(*level, side), name, amount.to_string());
        }
    };
    fill("limits", resources.pod_level->limits);
    fill("requests", resources.pod_level->requests);
}

bool tolerates(const Value& pod, std::string_view key) {
    const auto& tolerations = items_of(pod.find_path({"spec", "tolerations"}));
    return std::any_of(tolerations.begin(), tolerations.end(), [&](const Value& toleration) {
        const auto its_key = toleration.string_at("key");
        const auto effect = toleration.string_at("effect");
        return (its_key == key || its_key.empty()) && (effect == "NoExecute" || effect.empty());
    });
}

void add_toleration(Value& pod, std::string_view key) {
    if (tolerates(pod, key)) {
        return;
    }
    Value& spec = object_at(pod, "spec");
    Array tolerations = items_of(spec.find("tolerations"));
    tolerations.push_back(Object{
        {"key", std::string(key)},
        {"operator", "Exists"},
        {"effect", "NoExecute"},
        {"tolerationSeconds", 300},
    });
    spec.set("tolerations", std::move(tolerations));
}

Value token_volume(const std::string& name) {
    const auto item = [](const char* key, const char* path) {
        return Object{{"key", key}, {"path", path}};
    };
    const Value own_namespace = Object{
        {"path", "namespace"},
        {"fieldRef", Object{{"apiVersion", "v1"}, {"fieldPath", "metadata.namespace"}}},
    };
    Array sources{
        Object{
            {"serviceAccountToken", Object{{"expirationSeconds", 3607}, {"path", "token"}}},
        },
        Object{
            {"configMap",
             Object{{"name", "kube-root-ca.crt"}, {"items", Array{item("ca.crt", "ca.crt")}}}},
        },
        Object{{"downwardAPI", Object{{"items", Array{own_namespace}}}}},
    };
    return Object{
        {"name", name},
        {"projected", Object{{"sources", std::move(sources)}, {"defaultMode", kFileMode}}},
    };
}

void mount_token(Value& spec, std::string_view volume_suffix) {
    constexpr std::string_view kPath = "/var/run/secrets/kubernetes.io/serviceaccount";
    const auto name = "kube-api-access-" + std::string(volume_suffix);
    bool mounts = false;
    for (const auto* list : {"containers", "initContainers"}) {
        for_each(spec, list, [&](Value& container) {
            Array all = items_of(container.find("volumeMounts"));
            const bool has_own = std::any_of(all.begin(), all.end(), [&](const Value& mount) {
                return mount.string_at("mountPath") == kPath;
            });
            if (!has_own) {
                all.push_back(
                    Object{{"name", name}, {"readOnly", true}, {"mountPath", std::string(kPath)}}
                );
                container.set("volumeMounts", std::move(all));
                mounts = true;
            }
        });
    }
    if (mounts) {
        Array volumes = items_of(spec.find("volumes"));
        volumes.push_back(token_volume(name));
        spec.set("volumes", std::move(volumes));
    }
}

}  // namespace

void apply_pod_template_defaults(Value& pod_template) {
    if (pod_template.is_object()) {
        apply_spec_defaults(object_at(pod_template, "spec"));
    }
}

void apply_pod_defaults(Value& pod) {
    Value& spec = object_at(pod, "spec");
    apply_spec_defaults(spec);
    set_default(spec, "enableServiceLinks", true);
    for (const auto* list : {"containers", "initContainers"}) {
        for_each(spec, list, request_limits);
    }
    request_for_pod(spec);
}

void admit_pod(Value& pod, std::string_view volume_suffix, bool automounts_token) {
    Value& spec = object_at(pod, "spec");
    if (spec.string_at("serviceAccountName").empty()) {
        spec.set("serviceAccountName", "default");
        spec.set("serviceAccount", "default");
    }
    const Value* own = spec.find("automountServiceAccountToken");
    if (own != nullptr && own->is_bool() ? own->as_bool() : automounts_token) {
        mount_token(spec, volume_suffix);
    }
    admit_pod_update(pod);
}

void admit_pod_update(Value& pod) {
    add_toleration(pod, "node.kubernetes.io/not-ready");
    add_toleration(pod, "node.kubernetes.io/unreachable");
}

void admit_node(Value& node) {
    constexpr std::string_view kKey = "node.kubernetes.io/not-ready";
    Value& spec = object_at(node, "spec");
    Array taints = items_of(spec.find("taints"));
    const bool is_tainted = std::any_of(taints.begin(), taints.end(), [&](const Value& taint) {
        return taint.string_at("key") == kKey && taint.string_at("effect") == "NoSchedule";
    });
    if (!is_tainted) {
        taints.push_back(Object{{"key", std::string(kKey)}, {"effect", "NoSchedule"}});
        spec.set("taints", std::move(taints));
    }
}

}  // namespace sluice::apiserver
