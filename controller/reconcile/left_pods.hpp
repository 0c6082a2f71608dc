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

/// The pods that a job has left behind: it was deleted, or its Workload was taken from it, and they
/// run on. Quota is given back when pods end, not when they are asked to.
namespace sluice::controller {

/// The index of pods by the Job that made them.
inline constexpr std::string_view kMadeByIndex = "made_by";

/// The values of a pod in that index, "namespace/uid": its controller, and the Job that its labels
/// name, which stay when the Job is deleted without its pods.
std::vector<std::string> job_uids_of(const api::Pod& pod);

/// Holds the quota of a Workload whose job is gone, or over, while pods of the job still run; none:
/// no such pod is known, or the Workload holds no quota. It is looked at again after some seconds.
/// The wait ends with the pods: by themselves, after their grace period, or deleted here once the
/// Workload is evicted. Where pods are not managed, an eviction ends the wait. Pods are known where
/// they are followed, and those of a batch/v1 Job that is being deleted by its status.
std::optional<Outcome> wait_for_left_pods(
    const Stores& stores,
    const Settings& settings,
    const std::set<Kind>* job_kinds,
    const api::Workload& workload,
    Time now
);

/// Returns true if a pod for which `is_left` is true may run on quota of the Workload: its job made
/// the pod, or the pod says that it was started for the Workload.
bool has_left_pods(
    const Stores& stores,
    const Settings& settings,
    const api::Workload& workload,
    const std::function<bool(const api::Pod&)>& is_left,
    Time now
);

/// When to look again at the pods of the Workload that run, though their job may have ended or be
/// told to stop; none: no such pod is known.
std::optional<Time> look_again_at_pods(
    const Stores& stores, const Settings& settings, const api::Workload& workload, Time now
);

}  // namespace sluice::controller
