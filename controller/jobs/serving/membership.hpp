#pragma once

#include "api/core/apps.hpp"
#include "api/core/pod.hpp"
#include "controller/jobs/serving/group_owner.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/settings.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// Membership of pods in groups of a StatefulSet or LeaderWorkerSet. A template says only that its
/// pods are held back; each pod is told its group once it exists.
namespace sluice::controller {

/// Labels and annotations by which a pod belongs to a group.
struct Membership {
    std::string workload;  ///< also the name of the group
    std::int32_t total = 1;
    std::string role;
    api::StringMap annotations;  ///< others
};

/// Writes the labels and annotations that the pod lacks. nullopt if it has all, has ended or is
/// being deleted.
std::optional<Write> tell_membership(
    const api::Pod& pod,
    const GroupOwner& owner,
    const Membership& membership,
    const Settings& settings
);

/// Opens the gates of the pod. nullopt if they are open.
std::optional<Write> open_gates(const api::Pod& pod);

/// Returns true if the rollout of the StatefulSet, which controls the pod, replaces the pod: it is
/// of the old revision, and neither partition nor strategy keeps it.
bool will_be_replaced(const api::Pod& pod, const api::StatefulSet& set);

/// The deletion of a held pod that a rollout waits for: the rollout replaces it. nullopt if the pod
/// is not held or is being deleted. Kueue opens its gates, and it runs without quota.
std::optional<Write> replace_held(const api::Pod& pod);

}  // namespace sluice::controller
