#pragma once

#include "api/core/pod.hpp"
#include "base/clock.hpp"
#include "controller/reconcile/settings.hpp"

#include <optional>

/// Whether one pod runs, and until when.
namespace sluice::controller {

/// Whether the gate of admission holds it back.
bool is_gated(const api::Pod& pod);
/// Whether it has succeeded or failed.
bool has_ended(const api::Pod& pod);
bool has_succeeded(const api::Pod& pod);
/// Returns the latest time at which the pod can still be running after its deletion: nullopt if it
/// is not being deleted.
std::optional<Time> find_last_moment(const api::Pod& pod);
/// Returns true if containers of the pod run, and its grace period has not ended if it is being
/// deleted. With gate FastQuotaReleaseInPodIntegration a pod that is being deleted does not count.
bool occupies_quota(const api::Pod& pod, const Settings& settings, Time now);

/// Returns true if the pod runs, or will run without anybody's doing.
bool may_run(const api::Pod& pod, const Settings& settings, Time now);

}  // namespace sluice::controller
