// Tells whether a pod is gated, runs, occupies quota or has ended.
#pragma once

#include "api/core/pod.hpp"
#include "base/clock.hpp"
#include "controller/reconcile/settings.hpp"

#include <optional>

/// The life of a single pod: whether it runs, and until when.
namespace sluice::controller {

/// Returns true if the pod has the scheduling gate `kueue.x-k8s.io/admission`.
bool is_gated(const api::Pod& pod);
/// Returns true if the pod has succeeded or failed.
bool has_ended(const api::Pod& pod);
bool has_succeeded(const api::Pod& pod);
/// Returns the latest time at which a pod that is being deleted can still be running; nullopt if it
/// is not being deleted.
std::optional<Time> find_last_moment(const api::Pod& pod);
/// Returns true if the pod's phase is Running; if the pod is being deleted, only until its grace
/// period ends. With gate FastQuotaReleaseInPodIntegration a pod that is being deleted does not
/// count.
bool occupies_quota(const api::Pod& pod, const Settings& settings, Time now);

/// Returns true if the pod runs or can start to run: it has not ended and is not gated, and if it
/// is being deleted, it still occupies quota.
bool may_run(const api::Pod& pod, const Settings& settings, Time now);

}  // namespace sluice::controller
