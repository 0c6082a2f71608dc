#include "controller/jobs/job/stored_template.hpp"

#include "api/meta/codec.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

/// A list whose items a Workload's schema identifies by `keys`, each key once. In a pod Kubernetes
/// accepts several items with one key, mostly with a warning.
struct KeyedList {
    std::string_view name;
    std::vector<std::string_view> keys;
    bool last_counts =
        false;  ///< which of several the kubelet uses; it takes the first one's place
};

/// Returns the item's values of the keys. An absent value equals the empty text, as in Go.
std::string key_of_item(const json::Value& item, const KeyedList& list) {
    std::string key;
    for (const std::string_view name : list.keys) {
        const json::Value* value = item.find(name);
        const bool is_empty = value == nullptr || value->is_null();
        key += (is_empty ? "\"\"" : json::print(*value)) + ' ';
    }
    return key;
}

void drop_repeated(json::Value& holder, const KeyedList& list) {
    json::Value* items = holder.find(list.name);
    if (items == nullptr || !items->is_array()) {
        return;
    }
    std::map<std::string, std::size_t, std::less<>> places;
    json::Array kept;
    for (json::Value& item : items->as_array()) {
        const std::string key = item.is_object() ? key_of_item(item, list) : json::print(item);
        const auto [place, is_new] = places.emplace(key, kept.size());
        if (is_new) {
            kept.push_back(std::move(item));
        } else if (list.last_counts) {
            kept[place->second] = std::move(item);
        }
    }
    items->as_array() = std::move(kept);
}

void drop_repeated_in_container(json::Value& container) {
    static const std::vector<KeyedList> kLists{
        {.name = "env", .keys = {"name"}, .last_counts = true},
        {.name = "ports", .keys = {"containerPort", "protocol"}},
        {.name = "volumeDevices", .keys = {"devicePath"}},
        {.name = "volumeMounts", .keys = {"mountPath"}},
    };
    for (const KeyedList& list : kLists) {
        drop_repeated(container, list);
    }
    if (json::Value* resources = container.find("resources")) {
        drop_repeated(*resources, {.name = "claims", .keys = {"name"}});
    }
    json::Value* rules = container.find("restartPolicyRules");
    if (rules != nullptr && rules->is_array()) {
        for (json::Value& rule : rules->as_array()) {
            if (json::Value* codes = rule.is_object() ? rule.find("exitCodes") : nullptr) {
                drop_repeated(*codes, {.name = "values", .keys = {}});
            }
        }
    }
}

void drop_repeated_in_pod(json::Value& spec) {
    static const std::vector<KeyedList> kLists{
        {.name = "hostAliases", .keys = {"ip"}},
        {.name = "imagePullSecrets", .keys = {"name"}},
        {.name = "resourceClaims", .keys = {"name"}},
        {.name = "schedulingGates", .keys = {"name"}},
        {.name = "topologySpreadConstraints", .keys = {"topologyKey", "whenUnsatisfiable"}},
        {.name = "volumes", .keys = {"name"}},
    };
    for (const KeyedList& list : kLists) {
        drop_repeated(spec, list);
    }
    if (json::Value* resources = spec.find("resources")) {
        drop_repeated(*resources, {.name = "claims", .keys = {"name"}});
    }
}

/// Adds the defaults that the API server sets in containers of a Workload. It has set them in a
/// Job, but not in templates of objects whose definition does not declare them as templates.
void add_server_defaults(json::Value& container) {
    json::Value* ports = container.find("ports");
    if (ports != nullptr && ports->is_array()) {
        for (json::Value& port : ports->as_array()) {
            if (port.is_object() && port.find("protocol") == nullptr) {
                port.set("protocol", "TCP");
            }
        }
    }
    for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
        json::Value* found = container.find(probe);
        json::Value* grpc = found == nullptr ? nullptr : found->find("grpc");
        if (grpc != nullptr && grpc->is_object() && grpc->find("service") == nullptr) {
            grpc->set("service", "");
        }
    }
}

}  // namespace

Result<api::PodTemplateSpec> stored_template(
    const api::PodTemplateSpec& live, std::span<const std::string_view> labels_left_out
) {
    auto parsed = json::parse(live.raw.view());
    if (!parsed) {
        return parsed.error();
    }
    if (json::Value* metadata = parsed->find("metadata")) {
        metadata->erase("creationTimestamp");
        if (json::Value* labels = metadata->find("labels")) {
            for (const std::string_view label : labels_left_out) {
                labels->erase(label);
            }
        }
    }
    if (json::Value* spec = parsed->find("spec")) {
        for (const std::string_view list :
             {"containers", "initContainers", "ephemeralContainers"}) {
            json::Value* containers = spec->find(list);
            if (containers != nullptr && containers->is_array()) {
                // Add defaults first: a port without protocol equals one with TCP.
                std::ranges::for_each(containers->as_array(), add_server_defaults);
                std::ranges::for_each(containers->as_array(), drop_repeated_in_container);
            }
        }
        drop_repeated_in_pod(*spec);
    }
    return api::decode<api::PodTemplateSpec>(json::print(*parsed));
}

}  // namespace sluice::controller
