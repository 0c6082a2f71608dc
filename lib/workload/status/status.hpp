// Changes a Workload's status: reservation, refusal, eviction and release of quota.
#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "workload/pods/translation_settings.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Changes a Workload's status: reservation, refusal, eviction and release of quota. All functions
/// change the copy that the caller passes. A transition time changes only with the status of its
/// condition.
namespace sluice::workload {

/// The status of a condition that Sluice sets; Unknown is never written.
enum class ConditionStatus : std::uint8_t { False, True };

/// Returns True if the condition holds.
ConditionStatus to_condition_status(bool holds);

/// Sets a condition and cuts its message to the length that the API accepts. Returns true if the
/// condition changed.
bool set_condition(
    api::Workload& workload,
    std::string_view type,
    ConditionStatus status,
    std::string_view reason,
    std::string_view message,
    Time now
);

/// Sets condition Admitted according to the reservation, the checks and the topology. Returns true
/// if the condition changed. When the workload is no longer admitted, the time that it was admitted
/// is added to the accumulated execution time.
bool sync_admitted(api::Workload& workload, const TranslationGates& gates, Time now);

/// Records a reservation: sets the admission and QuotaReserved, and resets the conditions of an
/// earlier eviction or preemption. Sets Admitted if the workload has every check that `queue`
/// requires for the assigned flavors.
void reserve_quota(
    api::Workload& workload,
    api::Admission admission,
    const api::ClusterQueue& queue,
    const TranslationGates& gates,
    Time now
);

/// Sets QuotaReserved=False with this reason, removes the admission and updates Admitted. Returns
/// true if anything changed.
bool unset_reservation(
    api::Workload& workload,
    std::string_view reason,
    std::string_view message,
    const TranslationGates& gates,
    Time now
);

/// Sets BlockedOnPreemptionGates: the workload needs to evict others, but a preemption gate is
/// closed. Returns true if the condition changed. The next reservation or eviction resets it.
bool block_on_preemption_gates(api::Workload& workload, std::string_view message, Time now);

/// The reason why a workload must stop. The cause becomes part of the condition's reason for
/// deactivation only.
struct Eviction {
    std::string reason;
    std::string message;
    std::string cause;
};

/// Records an eviction; the quota stays charged until the job has stopped. Returns true if it is
/// the workload's first eviction with this reason and cause.
bool evict(api::Workload& workload, const Eviction& eviction, Time now);

/// Sets condition Preempted and records the eviction.
void preempt(api::Workload& workload, std::string_view reason, std::string_view message, Time now);

/// Releases the quota after an evicted job has stopped. The workload queues again immediately only
/// after a preemption or node failure. A workload that belongs to a single pod outside a group
/// never queues again: it ends with its pod (gate SkipReassignmentForPodOwnedWorkloads). Does
/// nothing if the workload is not evicted or has no quota reserved.
void release_quota(api::Workload& workload, const TranslationGates& gates, Time now);

/// Releases the quota; the workload does not queue until resume_from_hold(). Returns true if
/// anything changed.
bool put_on_hold(
    api::Workload& workload, std::string_view message, const TranslationGates& gates, Time now
);
/// Queues a workload again that put_on_hold() kept from queueing. Returns true if anything changed.
bool resume_from_hold(api::Workload& workload, const TranslationGates& gates, Time now);

/// Makes the admission checks match what `queue` requires: new ones are Pending, superfluous ones
/// are removed. Sorted by name. Returns true if anything changed.
bool sync_admission_checks(api::Workload& workload, const api::ClusterQueue& queue, Time now);

/// Sets PodsReady according to the admission and to `pods`, the readiness of all pods (KEP-349).
/// Returns true if the condition changed. The reason distinguishes the first start from the
/// recovery of a failed pod.
bool set_pods_ready(api::Workload& workload, ConditionStatus pods, Time now);

/// Counts one more requeue and moves requeueAt by a delay that doubles each time: `base`, then
/// twice `base` and so on; `max` bounds every delay but the first (KEP-1282).
void back_off(api::Workload& workload, Duration base, Duration max, Time now);

/// Moves status.requeueState.requeueAt to a later time, never to an earlier one. Returns true if it
/// changed.
bool delay_requeue(api::Workload& workload, Time until);
/// Returns the Workload as it is after its backoff: status.requeueState without requeueAt.
api::Workload without_requeue_at(api::Workload workload);

}  // namespace sluice::workload
