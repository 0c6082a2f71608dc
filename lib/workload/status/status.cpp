#include "workload/status/status.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "workload/pods/text.hpp"
#include "workload/translation/queueable.hpp"
#include "workload/translation/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace sluice::workload {
namespace {

namespace condition = api::condition;
namespace reason = api::reason;

bool has_all_checks_ready(const api::Workload& workload) {
    return std::ranges::all_of(workload.status.admission_checks, [](const auto& check) {
        return check.state == api::check_state::kReady;
    });
}

bool has_pending_topology(const api::Workload& workload) {
    const auto& admission = workload.status.admission;
    return admission &&
           std::ranges::any_of(admission->pod_set_assignments, [](const auto& assignment) {
               return assignment.delayed_topology_request == "Pending" &&
                      !assignment.topology_assignment;
           });
}

std::set<std::string> assigned_flavors(const api::Admission& admission) {
    std::set<std::string> flavors;
    for (const auto& assignment : admission.pod_set_assignments) {
        for (const auto& [resource, flavor] : assignment.flavors) {
            flavors.insert(flavor);
        }
    }
    return flavors;
}

bool has_all_required_checks(
    const api::Workload& workload, const api::Admission& admission, const api::ClusterQueue& queue
) {
    const auto flavors = assigned_flavors(admission);
    return std::ranges::all_of(required_checks(queue, &flavors), [&](const std::string& name) {
        const auto& present = workload.status.admission_checks;
        return std::ranges::find(present, name, &api::AdmissionCheckState::name) != present.end();
    });
}

/// Resets a condition that was true before the new reservation.
void reset_condition(api::Workload& workload, std::string_view type, Time now) {
    const auto* previous = api::find_condition(workload.status.conditions, type);
    if (previous != nullptr && previous->status == api::condition_status::kTrue) {
        set_condition(
            workload,
            type,
            ConditionStatus::False,
            reason::kQuotaReserved,
            "Previously: " + previous->message,
            now
        );
    }
}

void reset_checks(api::Workload& workload, Time now) {
    for (auto& check : workload.status.admission_checks) {
        if (check.state == api::check_state::kPending) {
            continue;
        }
        if (check.state == api::check_state::kRetry) {
            check.retry_count = check.retry_count.value_or(0) + 1;
        } else {
            check.retry_count.reset();
        }
        check.message = "Reset to Pending after eviction. Previously: " + check.state;
        check.state = api::check_state::kPending;
        check.last_transition_time = now;
        check.pod_set_updates.clear();
    }
}

bool count_eviction(api::Workload& workload, const Eviction& eviction) {
    auto& stats = workload.status.scheduling_stats;
    if (!stats) {
        stats.emplace();
    }
    const auto found = std::ranges::find_if(stats->evictions, [&](const auto& entry) {
        return entry.reason == eviction.reason && entry.underlying_cause == eviction.cause;
    });
    if (found != stats->evictions.end()) {
        ++found->count;
        return false;
    }
    stats->evictions.push_back(
        {.reason = eviction.reason, .underlying_cause = eviction.cause, .count = 1}
    );
    return true;
}

api::AdmissionCheckState pending_check(const std::string& name, Time now) {
    api::AdmissionCheckState made;
    made.name = name;
    made.state = api::check_state::kPending;
    made.last_transition_time = std::chrono::floor<std::chrono::seconds>(now);
    return made;
}

struct AdmittedFalse {
    std::string_view reason;
    std::string_view message;
};

AdmittedFalse why_not_admitted(bool is_reserved, bool is_ready, bool is_granular) {
    if (!is_reserved && !is_ready && !is_granular) {
        return {
            reason::kNoReservationUnsatisfiedChecks,
            "The workload has no reservation and not all checks ready"
        };
    }
    if (!is_reserved) {
        return {reason::kNoReservation, "The workload has no reservation"};
    }
    if (!is_ready) {
        return {
            is_granular ? reason::kUnsatisfiedAdmissionChecks : reason::kUnsatisfiedChecks,
            "The workload has not all checks ready"
        };
    }
    return {reason::kPendingDelayedTopologyRequests, "There are pending delayed topology requests"};
}

}  // namespace

ConditionStatus to_condition_status(bool holds) {
    return holds ? ConditionStatus::True : ConditionStatus::False;
}

bool set_condition(
    api::Workload& workload,
    std::string_view type,
    ConditionStatus status,
    std::string_view reason,
    std::string_view message,
    Time now
) {
    return api::set_condition(
        workload.status.conditions,
        {.type_ = std::string(type),
         .status = status == ConditionStatus::True ? api::condition_status::kTrue
                                                   : api::condition_status::kFalse,
         .observed_generation = workload.metadata.generation,
         .last_transition_time = std::chrono::floor<std::chrono::seconds>(now),
         .reason = std::string(reason),
         .message = truncated_condition_message(message)}
    );
}

bool sync_admitted(api::Workload& workload, const TranslationGates& gates, Time now) {
    const auto& conditions = workload.status.conditions;
    const bool is_reserved = api::is_true(conditions, condition::kQuotaReserved);
    const bool is_ready = has_all_checks_ready(workload);
    const bool is_admitted = is_reserved && is_ready && !has_pending_topology(workload);
    const bool was_admitted = api::is_true(conditions, condition::kAdmitted);
    const auto* old = api::find_condition(conditions, condition::kAdmitted);
    if (gates.unadmitted_workloads_observability) {
        // Both conditions stay absent until one of them is decided.
        if (old == nullptr &&
            api::find_condition(conditions, condition::kQuotaReserved) == nullptr &&
            !gates.unadmitted_workloads_explicit_status) {
            return false;
        }
    } else if (was_admitted == is_admitted) {
        return false;
    }
    if (is_admitted) {
        return set_condition(
            workload,
            condition::kAdmitted,
            ConditionStatus::True,
            reason::kAdmitted,
            "The workload is admitted",
            now
        );
    }
    if (was_admitted && old->last_transition_time) {
        const auto ran =
            std::chrono::floor<std::chrono::seconds>(now - *old->last_transition_time).count();
        auto& total = workload.status.accumulated_past_execution_time_seconds;
        total = total.value_or(0) + static_cast<std::int32_t>(ran);
    }
    const auto why =
        why_not_admitted(is_reserved, is_ready, gates.unadmitted_workloads_observability);
    return set_condition(
        workload, condition::kAdmitted, ConditionStatus::False, why.reason, why.message, now
    );
}

void reserve_quota(
    api::Workload& workload,
    api::Admission admission,
    const api::ClusterQueue& queue,
    const TranslationGates& gates,
    Time now
) {
    const std::string message =
        fmt::format("Quota reserved in ClusterQueue {}", admission.cluster_queue);
    const auto& held = workload.status.admission.emplace(std::move(admission));
    workload.status.resource_requests.clear();
    set_condition(
        workload,
        condition::kQuotaReserved,
        ConditionStatus::True,
        reason::kQuotaReserved,
        message,
        now
    );
    for (const auto* type :
         {condition::kEvicted, condition::kPreempted, condition::kBlockedOnPreemptionGates}) {
        reset_condition(workload, type, now);
    }
    if (has_all_required_checks(workload, held, queue)) {
        sync_admitted(workload, gates, now);
    }
}

bool unset_reservation(
    api::Workload& workload,
    std::string_view reason,
    std::string_view message,
    const TranslationGates& gates,
    Time now
) {
    bool has_changed = set_condition(
        workload, condition::kQuotaReserved, ConditionStatus::False, reason, message, now
    );
    if (workload.status.admission) {
        workload.status.admission.reset();
        has_changed = true;
    }
    return sync_admitted(workload, gates, now) || has_changed;
}

bool block_on_preemption_gates(api::Workload& workload, std::string_view message, Time now) {
    return set_condition(
        workload,
        condition::kBlockedOnPreemptionGates,
        ConditionStatus::True,
        reason::kPreemptionGated,
        message,
        now
    );
}

bool evict(api::Workload& workload, const Eviction& eviction, Time now) {
    const bool has_suffix = eviction.reason == reason::kDeactivated && !eviction.cause.empty();
    const std::string reason =
        has_suffix ? reason::kDeactivatedDueTo + eviction.cause : eviction.reason;
    const Time second = std::chrono::floor<std::chrono::seconds>(now);
    set_condition(
        workload, condition::kEvicted, ConditionStatus::True, reason, eviction.message, now
    );
    workload.status.cluster_name.clear();
    workload.status.nominated_cluster_names.clear();
    reset_checks(workload, second);
    workload.status.unhealthy_nodes.clear();
    if (api::is_true(workload.status.conditions, condition::kBlockedOnPreemptionGates)) {
        set_condition(
            workload,
            condition::kBlockedOnPreemptionGates,
            ConditionStatus::False,
            reason,
            eviction.message,
            now
        );
    }
    for (auto& gate : workload.status.preemption_gates) {
        gate.position = "Closed";
        gate.last_transition_time = second;
    }
    return count_eviction(workload, eviction);
}

void preempt(api::Workload& workload, std::string_view reason, std::string_view message, Time now) {
    api::set_condition(
        workload.status.conditions,
        {.type_ = condition::kPreempted,
         .status = api::condition_status::kTrue,
         .observed_generation = 0,  // upstream leaves it out here
         .last_transition_time = std::chrono::floor<std::chrono::seconds>(now),
         .reason = std::string(reason),
         .message = truncated_condition_message(message)}
    );
    evict(
        workload, {.reason = reason::kPreempted, .message = std::string(message), .cause = ""}, now
    );
}

void release_quota(api::Workload& workload, const TranslationGates& gates, Time now) {
    const auto* evicted = api::find_condition(workload.status.conditions, condition::kEvicted);
    if (evicted == nullptr || evicted->status != api::condition_status::kTrue ||
        !api::is_true(workload.status.conditions, condition::kQuotaReserved)) {
        return;
    }
    const api::Condition why = *evicted;
    const bool ends_with_its_pod =
        gates.skip_reassignment_for_pod_owned_workloads && is_owned_by_single_pod(workload);
    const bool queues_again = !ends_with_its_pod && (why.reason == reason::kPreempted ||
                                                     why.reason == reason::kNodeFailures);
    set_condition(
        workload,
        condition::kRequeued,
        to_condition_status(queues_again),
        why.reason,
        why.message,
        now
    );
    const auto* reason =
        gates.unadmitted_workloads_observability ? reason::kPendingEvaluation : reason::kPending;
    unset_reservation(workload, reason, why.message, gates, now);
}

bool put_on_hold(
    api::Workload& workload, std::string_view message, const TranslationGates& gates, Time now
) {
    return unset_reservation(workload, reason::kOnHold, message, gates, now);
}

bool resume_from_hold(api::Workload& workload, const TranslationGates& gates, Time now) {
    const auto* reserved =
        api::find_condition(workload.status.conditions, condition::kQuotaReserved);
    if (reserved == nullptr || reserved->status != api::condition_status::kFalse ||
        reserved->reason != reason::kOnHold) {
        return false;
    }
    return unset_reservation(
        workload,
        gates.unadmitted_workloads_observability ? reason::kPendingEvaluation : reason::kPending,
        "Workload no longer on hold; waiting for quota reservation",
        gates,
        now
    );
}

bool sync_admission_checks(api::Workload& workload, const api::ClusterQueue& queue, Time now) {
    std::set<std::string> flavors;
    if (workload.status.admission) {
        flavors = assigned_flavors(*workload.status.admission);
    }
    std::vector<api::AdmissionCheckState> made;
    for (const auto& name :
         required_checks(queue, workload.status.admission ? &flavors : nullptr)) {
        const auto& all = workload.status.admission_checks;
        const auto known = std::ranges::find(all, name, &api::AdmissionCheckState::name);
        made.push_back(known != all.end() ? *known : pending_check(name, now));
    }
    if (made == workload.status.admission_checks) {
        return false;
    }
    workload.status.admission_checks = std::move(made);
    return true;
}

bool set_pods_ready(api::Workload& workload, ConditionStatus pods, Time now) {
    constexpr std::string_view kReady = "All pods reached readiness and the workload is running";
    constexpr std::string_view kNotReady = "Not all pods are ready or succeeded";
    constexpr std::string_view kFailed = "At least one pod has failed, waiting for recovery";
    const auto& conditions = workload.status.conditions;
    const auto* before = api::find_condition(conditions, condition::kPodsReady);
    const bool is_admitted = api::is_true(conditions, condition::kAdmitted);
    const std::string_view why = before == nullptr ? std::string_view() : before->reason;
    const bool has_failed =
        is_admitted && before != nullptr &&
        (why == reason::kWaitForRecovery || before->status == api::condition_status::kTrue);
    const bool is_ready = is_admitted && pods == ConditionStatus::True;
    const bool is_again = why == reason::kWaitForRecovery || why == reason::kPodsRecovered;
    std::string_view wanted = has_failed ? reason::kWaitForRecovery : reason::kWaitForStart;
    std::string_view message = has_failed ? kFailed : kNotReady;
    if (is_ready) {
        wanted = is_again ? reason::kPodsRecovered : reason::kPodsStarted;
        message = kReady;
    }
    const auto status = to_condition_status(is_ready);
    if (before != nullptr && before->reason == wanted && before->message == message &&
        (before->status == api::condition_status::kTrue) == is_ready) {
        return false;
    }
    return set_condition(workload, condition::kPodsReady, status, wanted, message, now);
}

void back_off(api::Workload& workload, Duration base, Duration max, Time now) {
    auto& state = workload.status.requeue_state;
    if (!state) {
        state.emplace();
    }
    const std::int32_t count = state->count.value_or(0) + 1;
    state->count = count;
    Duration delay = base;
    for (std::int32_t i = 1; i < count && delay < max; ++i) {
        delay = std::min(delay * 2, max);
    }
    delay_requeue(workload, now + (count > 1 ? std::min(delay, max) : base));
}

bool delay_requeue(api::Workload& workload, Time until) {
    auto& state = workload.status.requeue_state;
    if (state && state->requeue_at && *state->requeue_at >= until) {
        return false;
    }
    if (!state) {
        state.emplace();
    }
    state->requeue_at = until;
    return true;
}

api::Workload without_requeue_at(api::Workload workload) {
    if (workload.status.requeue_state) {
        workload.status.requeue_state->requeue_at.reset();
    }
    return workload;
}

}  // namespace sluice::workload
