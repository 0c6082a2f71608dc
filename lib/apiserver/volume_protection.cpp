#include "apiserver/volume_protection.hpp"

#include "apiserver/deletion_mark.hpp"
#include "apiserver/values.hpp"

#include <algorithm>
#include <string>

namespace sluice::apiserver {

namespace {

const Collection claims_collection{"", "persistentvolumeclaims"};
const Collection volumes_collection{"", "persistentvolumes"};
const Collection pods_collection{"", "pods"};

/// A pod that was killed waits for nothing but its end.
bool is_shut_down(const json::Value& pod) {
    const json::Value* grace = pod.find_path({"metadata", "deletionGracePeriodSeconds"});
    return is_being_deleted(pod) && grace != nullptr && *grace == json::Value(0);
}

/// Whether the ephemeral volume of a pod has that claim.
bool is_claim_of_volume(const json::Value& pod, const json::Value& volume, std::string_view claim) {
    const std::string_view own = text_at(pod, {"metadata", "name"});
    return volume.find("ephemeral") != nullptr && claim.starts_with(own) &&
           claim.substr(own.size()).starts_with('-') &&
           claim.substr(own.size() + 1) == volume.string_at("name");
}

/// Whether a pod that has a node uses it, however far the pod is.
bool uses_claim(const json::Value& pod, std::string_view claim) {
    if (text_at(pod, {"spec", "nodeName"}).empty()) {
        return false;
    }
    return std::ranges::any_of(
        items_of(pod.find_path({"spec", "volumes"})),
        [&](const json::Value& volume) {
            return text_at(volume, {"persistentVolumeClaim", "claimName"}) == claim ||
                   (!is_shut_down(pod) && is_claim_of_volume(pod, volume, claim));
        }
    );
}

}  // namespace

std::string_view find_protection(const Collection& collection) {
    if (collection == claims_collection) {
        return "kubernetes.io/pvc-protection";
    }
    return collection == volumes_collection ? "kubernetes.io/pv-protection" : "";
}

void protect_volume(const ResourceType& type, json::Value& object) {
    const std::string_view finalizer = find_protection(State::collection_of(type));
    if (type.is_custom || finalizer.empty() || has_finalizer(object, finalizer)) {
        return;
    }
    json::Value& metadata = object_at(object, "metadata");
    json::Array finalizers = items_of(metadata.find("finalizers"));
    finalizers.emplace_back(finalizer);
    metadata.set("finalizers", std::move(finalizers));
}

bool is_volume_in_use(
    const State& state,
    const Collection& collection,
    const ObjectName& name,
    const json::Value& object
) {
    if (collection == volumes_collection) {
        return text_at(object, {"status", "phase"}) == "Bound";
    }
    const auto& pods = state.store.objects(pods_collection);
    for (auto at = pods.lower_bound({name.ns, ""}); at != pods.end() && at->first.ns == name.ns;
         ++at) {
        if (uses_claim(*at->second, name.name)) {
            return true;
        }
    }
    return false;
}

std::vector<State::Key> find_claims_of(const json::Value& pod) {
    std::vector<State::Key> claims;
    const std::string ns(text_at(pod, {"metadata", "namespace"}));
    for (const json::Value& volume : items_of(pod.find_path({"spec", "volumes"}))) {
        std::string name(text_at(volume, {"persistentVolumeClaim", "claimName"}));
        if (volume.find("ephemeral") != nullptr) {
            name = std::string(text_at(pod, {"metadata", "name"})) + "-" +
                   std::string(volume.string_at("name"));
        }
        if (!name.empty()) {
            claims.emplace_back(claims_collection, ObjectName{ns, std::move(name)});
        }
    }
    return claims;
}

}  // namespace sluice::apiserver
