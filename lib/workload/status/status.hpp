#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "workload/pods/translation_settings.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What decisions do to a Workload's status: reservation, refusal, eviction, release of quota. All
/// functions change a copy of the object; transition times move only with the status of a
/// condition.
namespace sluice::workload {

/// What a condition is set to; Unknown is never written.
enum class ConditionStatus : std::uint8_t { False, True };

/// True of a condition that holds.
ConditionStatus to_condition_status(bool holds);

/// Sets a condition, its message cut to what the API takes; whether anything changed.
bool set_condition(
    api::Workload& workload,
    std::string_view type,
    ConditionStatus status,
    std::string_view reason,
    std::string_view message,
    Time now
);

/// Admitted as it follows from the reservation, the checks and the topology; whether it
/// changed. When it is lost, the time admitted is added to the accumulated execution time.
bool sync_admitted(api::Workload& workload, const TranslationGates& gates, Time now);

/// Quota reserved: the admission, QuotaReserved, what was evicted or preempted reset, and Admitted
/// when the workload has every check that `queue` wants for the assigned flavors.
void reserve_quota(
    api::Workload& workload,
    api::Admission admission,
    const api::ClusterQueue& queue,
    const TranslationGates& gates,
    Time now
);

/// QuotaReserved=False with this reason, the admission taken away and Admitted in step; whether it
/// changed.
bool unset_reservation(
    api::Workload& workload,
    std::string_view reason,
    std::string_view message,
    const TranslationGates& gates,
    Time now
);

/// BlockedOnPreemptionGates: it would have evicted others, were its gates open; whether anything
/// changed. The next reservation or eviction takes it back.
bool block_on_preemption_gates(api::Workload& workload, std::string_view message, Time now);

/// Why a workload must stop. The cause becomes a part of the condition's reason only for
/// deactivation.
struct Eviction {
    std::string reason;
    std::string message;
    std::string cause;
};

/// The changes of an eviction; quota stays charged until the job has stopped. Whether it
/// is the first of its kind for this workload.
bool evict(api::Workload& workload, const Eviction& eviction, Time now);

/// Condition Preempted and the eviction that goes with it.
void preempt(api::Workload& workload, std::string_view reason, std::string_view message, Time now);

/// The job has stopped after its eviction: quota is given back, and the workload queues again at
/// once only after a preemption or node failure. That of a single pod, which is no
/// group, never does so by itself: it ends with its pod (gate
/// SkipReassignmentForPodOwnedWorkloads). Does nothing to a workload that is not evicted or holds
/// no quota.
void release_quota(api::Workload& workload, const TranslationGates& gates, Time now);

/// The quota is given back, and the workload does not queue until resume_from_hold(). Whether
/// anything changed.
bool put_on_hold(
    api::Workload& workload, std::string_view message, const TranslationGates& gates, Time now
);
/// Queues again what put_on_hold() kept from it. Whether anything changed.
bool resume_from_hold(api::Workload& workload, const TranslationGates& gates, Time now);

/// The admission checks in step with what `queue` wants: new ones Pending, superfluous ones gone,
/// by name; whether anything changed.
bool sync_admission_checks(api::Workload& workload, const api::ClusterQueue& queue, Time now);

/// PodsReady as it follows from the admission and from whether all pods are ready now (KEP-349);
/// whether it changed. A reason tells the first time from the recovery of a failed pod.
bool set_pods_ready(api::Workload& workload, ConditionStatus pods, Time now);

/// Counts one more requeue and moves requeueAt by a delay that doubles each time: `base`, twice
/// that …, from the second on at most `max` (KEP-1282).
void back_off(api::Workload& workload, Duration base, Duration max, Time now);

/// Moves status.requeueState.requeueAt later, never earlier; whether it changed.
bool delay_requeue(api::Workload& workload, Time until);
/// The Workload as it is when its backoff is over: status.requeueState without requeueAt.
api::Workload without_requeue_at(api::Workload workload);

}  // namespace sluice::workload
