// Finds pods that run on after their job, and holds the Workload's quota until they end.
#pragma once

#include "api/core/pod.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// The pods that a job leaves behind: the job was deleted, or its Workload was taken from it, and
/// the pods still run. Quota is released when pods end, not when they are asked to stop.
namespace sluice::controller {

/// The index of pods by the uid of the job that created them.
inline constexpr std::string_view kMadeByIndex = "made_by";

/// Returns the pod's values in that index, "namespace/uid": its controller, and the Job named by
/// the label controller-uid. The label stays when the Job is deleted without its pods.
std::vector<std::string> job_uids_of(const api::Pod& pod);

/// Holds the quota of a Workload whose job is gone or over while pods of the job still run: the
/// outcome reconciles the Workload again after some seconds. Returns nullopt if no such pod is
/// known, or if the Workload holds no quota. The wait ends when the pods end: on their own, after
/// their grace period, or because they are deleted here once the Workload is evicted. If
/// `job_kinds` does not contain Pod, an eviction ends the wait. Pods are known if the controller
/// watches pods; of a batch/v1 Job that is being deleted, the count in its status is known too.
/// `job_kinds`: the kinds whose jobs are reconciled; nullptr means no kinds.
std::optional<Outcome> wait_for_left_pods(
    const Stores& stores,
    const Settings& settings,
    const std::set<Kind>* job_kinds,
    const api::Workload& workload,
    Time now
);

/// Returns true if a pod for which `is_left` returns true may use quota of the Workload: the
/// Workload's job created the pod, or the pod's annotations name the Workload.
bool has_left_pods(
    const Stores& stores,
    const Settings& settings,
    const api::Workload& workload,
    const std::function<bool(const api::Pod&)>& is_left,
    Time now
);

/// Returns when to check the Workload's running pods again, though their job may have ended or have
/// been stopped. Returns nullopt if no such pod is known.
std::optional<Time> look_again_at_pods(
    const Stores& stores, const Settings& settings, const api::Workload& workload, Time now
);

}  // namespace sluice::controller
