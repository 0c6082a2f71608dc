#include "apiserver/admission/runtime_classes.hpp"

#include "apiserver/objects/values.hpp"
#include "apiserver/rules/pod_resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace sluice::apiserver {

namespace {

Result<void> admit_overhead(
    const ResourceType& type, std::string_view name, const json::Value* fixed, json::Value& spec
) {
    const auto given = read_amounts(spec.find("overhead"));
    const auto wanted = read_amounts(fixed);
    if (fixed == nullptr) {
        if (given.empty()) {
            return {};
        }
        return forbidden(
            type,
            name,
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
        );
    }
    if (!given.empty() && given != wanted) {
        return forbidden(
            type, name, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
        );
    }
    spec.set("overhead", *fixed);
    return {};
}

Result<void> admit_scheduling(
    const ResourceType& type, std::string_view name, const json::Value& rules, json::Value& spec
) {
    for (const auto& [key, value] : members_of(rules.find("nodeSelector"))) {
        json::Value& selector = object_at(spec, "nodeSelector");
        const json::Value* own = selector.find(key);
        if (own != nullptr && *own != value) {
            return forbidden(
                type,
                name,
                fmt::format(
                    "conflict: runtimeClass.scheduling.nodeSelector[{}] = {}; "
                    "pod.spec.nodeSelector[{}] = {}",
                    key,
                    value.as_string(),
                    key,
                    own->as_string()
                )
            );
        }
        selector.set(key, value);
    }
    json::Array tolerations = items_of(spec.find("tolerations"));
    for (const json::Value& more : items_of(rules.find("tolerations"))) {
        if (std::ranges::find(tolerations, more) == tolerations.end()) {
            tolerations.push_back(more);
        }
    }
    if (!tolerations.empty()) {
        spec.set("tolerations", std::move(tolerations));
    }
    return {};
}

}  // namespace

Result<void> admit_runtime_class(const State& state, const ResourceType& type, json::Value& pod) {
    json::Value& spec = object_at(pod, "spec");
    const std::string name(pod.find("metadata")->string_at("name"));
    const std::string wanted(spec.string_at("runtimeClassName"));
    if (wanted.empty()) {
        return admit_overhead(type, name, nullptr, spec);
    }
    const Snapshot found =
        state.store.find({"node.k8s.io", "runtimeclasses"}, {std::string(), wanted});
    if (!found) {
        return forbidden(
            type, name, fmt::format("pod rejected: RuntimeClass \"{}\" not found", wanted)
        );
    }
    if (const json::Value* rules = found->find("scheduling"); rules != nullptr) {
        if (auto set = admit_scheduling(type, name, *rules, spec); !set) {
            return set;
        }
    }
    return admit_overhead(type, name, found->find_path({"overhead", "podFixed"}), spec);
}

}  // namespace sluice::apiserver
