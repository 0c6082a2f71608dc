#include "controller/jobs/members/group_pods.hpp"

#include "api/core/apps.hpp"
#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/members/serving_names.hpp"
#include "validation/go_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace sluice::controller {

namespace {

/// Example: statefulsets.apps team/web
std::string maker_text(const ObjectKey& maker) {
    return fmt::format("{} {}/{}", to_string(maker.kind), maker.ns, maker.name);
}

/// Returns the metadata of the controller, nullptr unless it is there with the uid of the
/// reference.
const api::ObjectMeta* find_controller(
    const Stores& stores, const api::ObjectMeta& object, const api::OwnerReference& owner
) {
    const auto kind = stores.find_kind(kube::group_of(owner.api_version), owner.kind);
    const api::ObjectMeta* found =
        kind ? stores.find_metadata({*kind, object.namespace_, owner.name}) : nullptr;
    return found != nullptr && found->uid == owner.uid ? found : nullptr;
}

/// Returns true if the object with the uid controls the pod, or a controller of it.
bool is_controlled_by(const Stores& stores, const api::Pod& pod, std::string_view uid) {
    constexpr int kMost = 4;  // worker, its StatefulSet, leader, its StatefulSet
    const api::ObjectMeta* object = &pod.metadata;
    for (int step = 0; step < kMost; ++step) {
        const api::OwnerReference* owner = object->controller_owner();
        const api::ObjectMeta* found =
            owner == nullptr ? nullptr : find_controller(stores, *object, *owner);
        if (found == nullptr || owner->uid == uid) {
            return found != nullptr;
        }
        object = found;
    }
    return false;
}

/// Returns true if the name is one that the StatefulSet gives: its own name and a number.
bool has_name_of_set(const api::ObjectMeta& pod) {
    const api::OwnerReference* owner = pod.controller_owner();
    if (owner == nullptr || owner->kind != api::StatefulSet::kKind) {
        return false;
    }
    std::string_view name = pod.name;
    if (!name.starts_with(owner->name)) {
        return false;
    }
    name.remove_prefix(owner->name.size());
    return name.starts_with("-") &&
           validation::parse_decimal<std::int32_t>(name.substr(1)).has_value();
}

}  // namespace

const std::shared_ptr<const kube::RunTimeKind>& leader_worker_set_names() {
    static const auto kNames = std::make_shared<const kube::RunTimeKind>(kube::RunTimeKind::Names{
        .group = "leaderworkerset.x-k8s.io",
        .version = "v1",
        .kind = "LeaderWorkerSet",
        .resource = "leaderworkersets",
    });
    return kNames;
}

std::optional<ObjectKey> find_maker(const api::Pod& pod) {
    const api::ObjectMeta& metadata = pod.metadata;
    const std::string_view framework =
        find_value(metadata.annotations, api::annotation::kPodSuspendingParent);
    if (framework == kStatefulSets) {
        const api::OwnerReference* owner = metadata.controller_owner();
        const bool is_known = owner != nullptr && owner->kind == api::StatefulSet::kKind &&
                              kube::group_of(owner->api_version) == api::StatefulSet::kGroup;
        return is_known ? std::optional(ObjectKey{
                              kind_of<api::StatefulSet>(), metadata.namespace_, owner->name
                          })
                        : std::nullopt;
    }
    const std::string* set = metadata.find_label(kSetNameLabel);
    if (framework != kLeaderWorkerSets || set == nullptr) {
        return std::nullopt;
    }
    return ObjectKey{leader_worker_set_names()->kind(), metadata.namespace_, *set};
}

std::vector<std::string> makers_of_pod(const api::Pod& pod) {
    const auto maker = find_maker(pod);
    return maker ? std::vector{maker_text(*maker)} : std::vector<std::string>();
}

const kube::Store<api::Pod>::Objects& pods_made_by(const Stores& stores, const ObjectKey& maker) {
    return stores.of<api::Pod>().by_index(kPodMakerIndex, maker_text(maker));
}

bool is_made_by_owner_of(const Stores& stores, const api::Pod& pod, const api::Workload& workload) {
    if (!has_name_of_set(pod.metadata)) {
        return false;
    }
    return std::ranges::any_of(
        workload.metadata.owner_references,
        [&](const api::OwnerReference& owner) {
            const std::string_view group = kube::group_of(owner.api_version);
            const Kind sets = leader_worker_set_names()->kind();
            const bool makes_groups =
                (group == api::StatefulSet::kGroup && owner.kind == api::StatefulSet::kKind) ||
                (group == sets.group() && owner.kind == sets.name());
            return makes_groups && is_controlled_by(stores, pod, owner.uid);
        }
    );
}

}  // namespace sluice::controller
