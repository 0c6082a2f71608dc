#include "sim/pods/adoption.hpp"

#include "sim/objects/fields.hpp"
#include "sim/objects/selection.hpp"
#include "sim/pods/owned.hpp"
#include "sim/pods/pod_life.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace sluice::sim {

namespace {

Write ownership(const json::Value& pod, json::Array owners) {
    json::Value metadata = json::Object{{"uid", text_at(pod, {"metadata", "uid"})}};
    metadata.set(
        "ownerReferences", owners.empty() ? json::Value() : json::Value(std::move(owners))
    );
    return {
        .verb = Write::Verb::Patch,
        .name = std::string(name_of(pod)),
        .body = json::Object{{"metadata", std::move(metadata)}},
        .api_version = std::string(pod.string_at("apiVersion")),
        .kind = std::string(pod.string_at("kind"))
    };
}

bool is_same(const json::Value& a, const json::Value& b, FieldPath path) {
    const json::Value* one = a.find_path(path);
    const json::Value* other = b.find_path(path);
    return one == nullptr || other == nullptr ? one == other : *one == *other;
}

}  // namespace

std::string_view adopted_kind(const apiserver::Collection& collection) {
    if (collection == apiserver::Collection{"apps", "deployments"}) {
        return "ReplicaSet";
    }
    return adopts_pods(collection) ? "Pod" : "";
}

bool adopts_pods(const apiserver::Collection& collection) {
    return collection == apiserver::Collection{"batch", "jobs"} ||
           collection == apiserver::Collection{"apps", "replicasets"} ||
           collection == apiserver::Collection{"apps", "statefulsets"} ||
           collection == apiserver::Collection{"", "replicationcontrollers"};
}

bool is_controlled(const json::Value& pod) {
    return std::ranges::any_of(list_at(pod, {"metadata", "ownerReferences"}), [](const auto& each) {
        return is_true_at(each, {"controller"});
    });
}

std::vector<Write> adopt(
    const json::Value& owner, const std::vector<apiserver::Snapshot>& orphans
) {
    std::vector<Write> writes;
    if (is_deleted(owner)) {
        return writes;
    }
    for (const apiserver::Snapshot& pod : orphans) {
        if (is_controlled(*pod) || is_deleted(*pod) || has_ended(*pod) ||
            !is_selected_by(owner, *pod)) {
            continue;
        }
        json::Array owners = list_at(*pod, {"metadata", "ownerReferences"});
        std::ranges::copy(owner_references(owner), std::back_inserter(owners));
        writes.push_back(ownership(*pod, std::move(owners)));
    }
    return writes;
}

std::vector<Write> release(const json::Value& owner, const std::vector<const json::Value*>& owned) {
    const bool has_sets = owner.string_at("kind") == "Deployment";
    std::vector<Write> writes;
    const std::string_view uid = text_at(owner, {"metadata", "uid"});
    for (const json::Value* pod : owned) {
        if (pod->string_at("kind") != (has_sets ? "ReplicaSet" : "Pod") || is_deleted(*pod) ||
            is_selected_by(owner, *pod)) {
            continue;
        }
        json::Array owners = list_at(*pod, {"metadata", "ownerReferences"});
        std::erase_if(owners, [uid](const json::Value& each) {
            return each.string_at("uid") == uid;
        });
        writes.push_back(ownership(*pod, std::move(owners)));
    }
    return writes;
}

bool changes_selection(const apiserver::LogEntry& entry) {
    return entry.after &&
           (!entry.before || !is_same(*entry.before, *entry.after, {"metadata", "labels"}) ||
            !is_same(*entry.before, *entry.after, {"metadata", "ownerReferences"}));
}

}  // namespace sluice::sim
