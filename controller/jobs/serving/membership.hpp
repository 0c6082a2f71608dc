// Labels and annotations that make a pod a member of the group of its serving object.
#pragma once

#include "api/core/apps.hpp"
#include "api/core/pod.hpp"
#include "controller/jobs/serving/group_owner.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/settings.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// Membership of pods in groups of a StatefulSet or LeaderWorkerSet. A template only says that its
/// pods are gated; the group is written into each pod after its creation.
namespace sluice::controller {

/// The values of the labels and annotations by which a pod belongs to a group.
struct Membership {
    std::string workload;  ///< also the name of the group
    std::int32_t total = 1;
    std::string role;
    api::StringMap annotations;  ///< further annotations
};

/// Returns a patch with the labels and annotations that the pod lacks. Returns nullopt if it has
/// all of them, has ended or is being deleted.
std::optional<Write> record_membership(
    const api::Pod& pod,
    const GroupOwner& owner,
    const Membership& membership,
    const Settings& settings
);

/// Returns a patch that ungates the pod; nullopt if it is not gated.
std::optional<Write> open_gates(const api::Pod& pod);

/// Returns true if the rollout of the StatefulSet that controls the pod will replace the pod: the
/// pod has the old revision, and neither partition nor strategy keeps it.
bool will_be_replaced(const api::Pod& pod, const api::StatefulSet& set);

/// Returns the deletion of a gated pod, so that the rollout can replace it; nullopt if the pod is
/// not gated or is being deleted. Kueue ungates such a pod instead, and it runs without quota.
std::optional<Write> replace_held(const api::Pod& pod);

}  // namespace sluice::controller
