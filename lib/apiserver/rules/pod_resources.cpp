#include "apiserver/rules/pod_resources.hpp"

#include "apiserver/objects/values.hpp"

#include <algorithm>

namespace sluice::apiserver {

namespace {

void add(api::ResourceList& sum, const api::ResourceList& more) {
    for (const auto& [name, amount] : more) {
        const auto [at, is_new] = sum.emplace(name, amount);
        if (!is_new) {
            at->second += amount;
        }
    }
}

api::EffectiveResources read_resources(const json::Value& holder) {
    return {
        .limits = read_amounts(holder.find_path({"resources", "limits"})),
        .requests = read_amounts(holder.find_path({"resources", "requests"})),
    };
}

}  // namespace

api::ResourceList read_amounts(const json::Value* list) {
    api::ResourceList amounts;
    for (const auto& [name, value] : members_of(list)) {
        const auto amount =
            api::Quantity::parse(value.is_string() ? value.as_string() : json::print(value));
        if (amount) {
            amounts.emplace(name, *amount);
        }
    }
    return amounts;
}

json::Value print_amounts(const api::ResourceList& amounts) {
    json::Value list = json::Object();
    for (const auto& [name, amount] : amounts) {
        list.set(name, amount.to_string());
    }
    return list;
}

api::PodResources read_pod_resources(const json::Value& spec) {
    api::PodResources read;
    for (const json::Value& container : items_of(spec.find("containers"))) {
        read.containers.push_back(read_resources(container));
    }
    for (const json::Value& container : items_of(spec.find("initContainers"))) {
        read.init_containers.push_back(
            {.resources = read_resources(container),
             .is_sidecar = container.string_at("restartPolicy") == "Always"}
        );
    }
    if (const json::Value* level = spec.find("resources"); level != nullptr && level->is_object()) {
        read.pod_level = read_resources(spec);
    }
    read.overhead = read_amounts(spec.find("overhead"));
    return read;
}

api::ResourceList pod_amounts(const json::Value& pod, std::string_view side) {
    const json::Value* spec = pod.find("spec");
    const auto resources = spec == nullptr ? api::PodResources() : read_pod_resources(*spec);
    const bool are_requests = side == "requests";
    api::ResourceList sum =
        are_requests ? api::container_requests(resources) : api::container_limits(resources);
    if (resources.pod_level) {
        for (const auto& [name, amount] :
             are_requests ? resources.pod_level->requests : resources.pod_level->limits) {
            if (api::may_be_pod_level(name)) {
                sum[name] = amount;
            }
        }
    }
    for (const auto& [name, amount] : resources.overhead) {
        // The overhead increases an existing limit but does not create one.
        if (are_requests || sum.contains(name)) {
            add(sum, {{name, amount}});
        }
    }
    return sum;
}

}  // namespace sluice::apiserver
