#include "controller/jobs/stored_template.hpp"

#include "api/codec.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::controller {

namespace {

/// Of variables of one name the last one counts, in the place of the first.
void drop_repeated_variables(json::Value& container) {
    json::Value* env = container.find("env");
    if (env == nullptr || !env->is_array()) {
        return;
    }
    std::map<std::string, std::size_t, std::less<>> places;
    json::Array kept;
    for (json::Value& variable : env->as_array()) {
        const auto [place, is_new] = places.emplace(variable.string_at("name"), kept.size());
        if (is_new) {
            kept.push_back(std::move(variable));
        } else {
            kept[place->second] = std::move(variable);
        }
    }
    env->as_array() = std::move(kept);
}

/// What the API server adds to containers of a Workload. It has added the same to a Job, but not to
/// templates in objects whose definition does not know that they are templates.
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
        for (const std::string_view list : {"containers", "initContainers"}) {
            json::Value* containers = spec->find(list);
            if (containers != nullptr && containers->is_array()) {
                std::ranges::for_each(containers->as_array(), drop_repeated_variables);
                std::ranges::for_each(containers->as_array(), add_server_defaults);
            }
        }
    }
    return api::decode<api::PodTemplateSpec>(json::print(*parsed));
}

}  // namespace sluice::controller
