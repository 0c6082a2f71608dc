#pragma once

#include "api/core/apps.hpp"
#include "api/core/pod.hpp"
#include "controller/jobs/serving/group_owner.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The pods of StatefulSets and LeaderWorkerSets. Their templates say only that they are held back;
/// of which group they are, they are told when they are there.
namespace sluice::controller {

/// The kind LeaderWorkerSet. Lifetime: that of the process.
const std::shared_ptr<const kube::RunTimeKind>& leader_worker_set_names();

/// The index of pods by the object that makes groups of them.
inline constexpr std::string_view kPodMakerIndex = "pod_maker";
/// The value of a pod in that index; none: no such object makes it.
std::vector<std::string> makers_of_pod(const api::Pod& pod);
/// The object that makes the pod as one of a group, whether it is there or not.
std::optional<ObjectKey> find_maker(const api::Pod& pod);
/// The pods that the object makes.
const kube::Store<api::Pod>::Objects& pods_made_by(const Stores& stores, const ObjectKey& maker);

/// Returns true if a StatefulSet or LeaderWorkerSet that owns the Workload makes the pod: each
/// owner on the way is there with the uid that the reference has, and a StatefulSet's pods have its
/// name and a number. Annotations, which users can write, are not considered.
bool is_made_by_owner_of(const Stores& stores, const api::Pod& pod, const api::Workload& workload);

/// What a pod is told.
struct Membership {
    std::string workload;  ///< also the name of the group
    std::int32_t total = 1;
    std::string role;
    api::StringMap annotations;  ///< others
};

/// The patch of what the pod does not say yet; none: it says all, has ended or is being deleted.
std::optional<Write> tell_membership(
    const api::Pod& pod,
    const GroupOwner& owner,
    const Membership& membership,
    const Settings& settings
);

/// The patch that opens the gates of the pod; none: they are open.
std::optional<Write> open_gates(const api::Pod& pod);

/// Returns true if the rollout of the StatefulSet, which controls the pod, replaces the pod: it is
/// of the old revision, and neither partition nor strategy keeps it.
bool will_be_replaced(const api::Pod& pod, const api::StatefulSet& set);

/// The deletion of a held pod that a rollout waits for: the rollout replaces it. nullopt if the pod
/// is not held or is being deleted. Kueue opens its gates, and it runs without quota.
std::optional<Write> replace_held(const api::Pod& pod);

}  // namespace sluice::controller
