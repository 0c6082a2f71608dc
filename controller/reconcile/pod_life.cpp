#include "controller/reconcile/pod_life.hpp"

#include "api/kueue/kueue_names.hpp"

#include <algorithm>
#include <chrono>

namespace sluice::controller {

bool is_gated(const api::Pod& pod) {
    return std::ranges::find(
               pod.spec.scheduling_gates,
               api::scheduling_gate::kAdmission,
               &api::PodSchedulingGate::name
           ) != pod.spec.scheduling_gates.end();
}

bool has_succeeded(const api::Pod& pod) {
    return pod.status.phase == "Succeeded";
}
bool has_ended(const api::Pod& pod) {
    return has_succeeded(pod) || pod.status.phase == "Failed";
}
std::optional<Time> find_last_moment(const api::Pod& pod) {
    const auto& deleted = pod.metadata.deletion_timestamp;
    const auto& grace = pod.metadata.deletion_grace_period_seconds;
    return deleted && grace ? std::optional(*deleted + std::chrono::seconds(*grace)) : std::nullopt;
}

bool occupies_quota(const api::Pod& pod, const Settings& settings, Time now) {
    const bool gave_up = settings.fast_quota_release_of_pods && pod.metadata.deletion_timestamp;
    const auto last = find_last_moment(pod);
    return pod.status.phase == "Running" && !gave_up && (!last || now <= *last);
}

bool may_run(const api::Pod& pod, const Settings& settings, Time now) {
    if (has_ended(pod) || is_gated(pod)) {
        return false;
    }
    return !pod.metadata.deletion_timestamp || occupies_quota(pod, settings, now);
}

}  // namespace sluice::controller
