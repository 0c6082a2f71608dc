#include "apiserver/admission/resource_quota.hpp"

#include "apiserver/objects/values.hpp"
#include "apiserver/rules/pod_resources.hpp"
#include "apiserver/state/quota_usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

using api::ResourceList;
using json::Value;

std::vector<std::pair<ObjectName, Snapshot>> quotas_in(const State& state, const std::string& ns) {
    std::vector<std::pair<ObjectName, Snapshot>> found;
    const auto& quotas = state.store.objects(quotas_collection);
    for (auto at = quotas.lower_bound({ns, ""}); at != quotas.end() && at->first.ns == ns; ++at) {
        found.emplace_back(*at);
    }
    return found;
}

std::string print_list(const ResourceList& amounts) {
    std::string text;
    for (const auto& [name, amount] : amounts) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, amount.to_string());
    }
    return text;
}

/// If a quota limits cpu or memory, requires each container to have that request or limit.
Result<void> check_pod_amounts(
    const ResourceType& type, const Value& quota, const ResourceList& hard, const Value& pod
) {
    std::map<std::string, std::set<std::string>> missing;
    for (const auto& [name, limit] : hard) {
        const bool is_limit = name.starts_with("limits.");
        const std::string resource = is_limit                        ? name.substr(7)
                                     : name.starts_with("requests.") ? name.substr(9)
                                                                     : name;
        if (resource != "cpu" && resource != "memory") {
            continue;
        }
        for (const char* list : {"containers", "initContainers"}) {
            for (const Value& container : items_of(pod.find_path({"spec", list}))) {
                const Value* amount =
                    container.find_path({"resources", is_limit ? "limits" : "requests", resource});
                if (amount == nullptr) {
                    missing[name].emplace(container.string_at("name"));
                }
            }
        }
    }
    if (missing.empty()) {
        return {};
    }
    std::string all;
    for (const auto& [name, containers] : missing) {
        all +=
            fmt::format("{}{} for: {}", all.empty() ? "" : "; ", name, fmt::join(containers, ","));
    }
    return forbidden(
        type,
        text_at(pod, {"metadata", "name"}),
        fmt::format("failed quota: {}: must specify {}", text_at(quota, {"metadata", "name"}), all)
    );
}

}  // namespace

Result<void> check_quotas(
    const State& state, const ResourceType& type, const Value* old_object, const Value& object
) {
    const std::string ns(text_at(object, {"metadata", "namespace"}));
    const Collection collection = State::collection_of(type);
    ResourceList more = usage_of(collection, object);
    if (old_object != nullptr) {
        for (const auto& [name, amount] : usage_of(collection, *old_object)) {
            more.try_emplace(name).first->second -= amount;
        }
    }
    std::erase_if(more, [](const auto& entry) { return entry.second.sign() <= 0; });
    if (more.empty()) {
        return {};
    }
    for (const auto& [key, quota] : quotas_in(state, ns)) {
        const ResourceList hard = read_amounts(quota->find_path({"spec", "hard"}));
        if (!covers(*quota, collection, object)) {
            continue;
        }
        if (is_pod(collection) && old_object == nullptr) {
            if (auto checked = check_pod_amounts(type, *quota, hard, object); !checked) {
                return checked;
            }
        }
        const ResourceList& used = state.quota_usage().of(key);
        ResourceList requested;
        ResourceList before;
        ResourceList limited;
        for (const auto& [name, limit] : hard) {
            const auto asked = more.find(name);
            if (asked != more.end() && used.at(name) + asked->second > limit) {
                requested.insert(*asked);
                before.emplace(name, used.at(name));
                limited.emplace(name, limit);
            }
        }
        if (!requested.empty()) {
            return forbidden(
                type,
                text_at(object, {"metadata", "name"}),
                fmt::format(
                    "exceeded quota: {}, requested: {}, used: {}, limited: {}",
                    key.name,
                    print_list(requested),
                    print_list(before),
                    print_list(limited)
                )
            );
        }
    }
    return {};
}

void settle_quotas(State& state, const std::string& ns) {
    for (const auto& [key, quota] : quotas_in(state, ns)) {
        const Value* hard = quota->find_path({"spec", "hard"});
        Value status = json::Object();
        if (hard != nullptr) {
            status.set("hard", *hard);
            status.set("used", print_amounts(state.quota_usage().of(key)));
        }
        const Value* was = quota->find("status");
        if (was == nullptr || *was != status) {
            Value changed = *quota;
            changed.set("status", std::move(status));
            state.store.put(quotas_collection, key, std::move(changed));
        }
    }
}

}  // namespace sluice::apiserver
