#include "controller/reconcile/workload_status.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/reconcile/finalizer.hpp"
#include "workload/status/messages.hpp"
#include "workload/translation/queueable.hpp"

#include <algorithm>

namespace sluice::controller {

namespace {

namespace condition = api::condition;
namespace reason = api::reason;

/// The conditions that kueue-admission owns; an integration's own ones are not among them.
constexpr std::string_view kOwnedConditions[] = {
    condition::kQuotaReserved,
    condition::kBlockedOnPreemptionGates,
    condition::kEvicted,
    condition::kAdmitted,
    condition::kPreempted,
    condition::kRequeued,
    condition::kDeactivationTarget,
    condition::kFinished,
    condition::kPodsReady,
};

constexpr std::string_view kUndecided = reason::kPendingEvaluation;

/// The scheduler's reasons besides kUndecided.
constexpr std::string_view kSchedulerReasons[] = {
    reason::kWaitingForQuota,
    reason::kNoMatchingFlavor,
    reason::kExceedsMaxQuota,
    reason::kTopologyPlacementFailed,
    reason::kWaitingForPreemptedWorkloads,
    reason::kWaitingForPodsReady,
};

/// Returns how long all pods have been ready; nullopt if they are not.
std::optional<Duration> since_pods_ready(const api::Workload& workload, Time now) {
    const auto* ready = api::find_condition(workload.status.conditions, condition::kPodsReady);
    if (ready == nullptr || ready->status != api::condition_status::kTrue ||
        !ready->last_transition_time) {
        return std::nullopt;
    }
    return now - *ready->last_transition_time;
}

}  // namespace

const api::Condition* find_condition(const api::Workload& workload, std::string_view type) {
    return api::find_condition(workload.status.conditions, type);
}

bool is_true(const api::Workload& workload, std::string_view type) {
    return api::is_true(workload.status.conditions, type);
}

bool is_scheduler_reason(std::string_view reason) {
    return reason == kUndecided ||
           std::ranges::find(kSchedulerReasons, reason) != std::end(kSchedulerReasons);
}

bool is_preemption_gated(const api::Condition& reserved) {
    return reserved.reason == reason::kAdmissionGated &&
           reserved.message == workload::kPreemptionGated;
}

bool is_undecided(const api::Workload& workload) {
    const api::Condition* reserved = find_condition(workload, condition::kQuotaReserved);
    return reserved == nullptr ||
           (reserved->status == api::condition_status::kFalse && reserved->reason == kUndecided);
}

bool has_quota_reserved(const api::Workload& workload) {
    return is_true(workload, condition::kQuotaReserved);
}
bool is_admitted(const api::Workload& workload) {
    return is_true(workload, condition::kAdmitted);
}
bool is_evicted(const api::Workload& workload) {
    return is_true(workload, condition::kEvicted);
}
bool is_finished(const api::Workload& workload) {
    return is_true(workload, condition::kFinished);
}
bool is_active(const api::Workload& workload) {
    return workload.spec.active.value_or(true);
}

bool holds_quota(const api::Workload& workload) {
    return has_quota_reserved(workload) && workload.status.admission.has_value() &&
           (is_active(workload) || workload::may_have_pods(workload.metadata)) &&
           !is_finished(workload);
}

void note_eviction(
    Write& write,
    const api::Workload& before,
    const workload::Eviction& eviction,
    bool is_first,
    std::string_view controller,
    Time now
) {
    if (!before.status.admission) {
        return;
    }
    std::string reason = reason::kEvictedDueTo + eviction.reason;
    if (eviction.reason == reason::kDeactivated && !eviction.cause.empty()) {
        reason += "DueTo" + eviction.cause;
    }
    write.events.push_back(
        {.regarding = reference_to(before),
         .reason = reason,
         .note = eviction.message,
         .reporting_controller = std::string(controller)}
    );
    write.observations.push_back(
        {.kind = Observation::Kind::Evicted,
         .cluster_queue = before.status.admission->cluster_queue,
         .local_queue = before.spec.queue_name,
         .ns = before.metadata.namespace_,
         .reason = eviction.reason,
         .underlying_cause = eviction.cause,
         .priority_class = priority_class_name(before),
         .first_time = is_first,
         .since_pods_ready = since_pods_ready(before, now)}
    );
}

json::Value status_apply(const api::Workload& workload, Precondition precondition) {
    api::Workload applied;
    const api::WorkloadStatus& status = workload.status;
    applied.status.admission = status.admission;
    if (status.requeue_state && (status.requeue_state->count || status.requeue_state->requeue_at)) {
        applied.status.requeue_state = status.requeue_state;
    }
    if (!status.admission) {
        applied.status.resource_requests = status.resource_requests;
    }
    for (const api::Condition& condition : status.conditions) {
        if (std::ranges::find(kOwnedConditions, condition.type_) != std::end(kOwnedConditions)) {
            applied.status.conditions.push_back(condition);
        }
    }
    applied.status.accumulated_past_execution_time_seconds =
        status.accumulated_past_execution_time_seconds;
    applied.status.scheduling_stats = status.scheduling_stats;
    applied.status.cluster_name = status.cluster_name;
    applied.status.nominated_cluster_names = status.nominated_cluster_names;
    applied.status.unhealthy_nodes = status.unhealthy_nodes;
    applied.status.preemption_gates = status.preemption_gates;
    applied.status.admission_checks = status.admission_checks;
    json::Value metadata = json::Object{
        {"name", workload.metadata.name},
        {"namespace", workload.metadata.namespace_},
        {"uid", workload.metadata.uid},
    };
    if (precondition == Precondition::Version) {
        metadata.set("resourceVersion", workload.metadata.resource_version);
    }
    const json::Value all = api::to_value(applied);
    const json::Value* status_value = all.find("status");
    return json::Object{
        {"apiVersion", api::kKueueApiVersion},
        {"kind", "Workload"},
        {"metadata", std::move(metadata)},
        {"status", status_value != nullptr ? *status_value : json::Value(json::Object{})},
    };
}

Write status_write(const api::Workload& workload) {
    return {
        .verb = Verb::ApplyStatus,
        .object = key_of(workload),
        .body = status_apply(workload, Precondition::Version),
        .field_manager = std::string(kAdmissionManager),
    };
}

std::optional<Write> remove_finalizer(const api::Workload& workload) {
    if (!workload.metadata.has_finalizer(api::finalizer::kResourceInUse)) {
        return std::nullopt;
    }
    return drop_in_use_finalizer(key_of(workload), workload.metadata);
}

void finish(api::Workload& workload, std::string_view reason, std::string_view message, Time now) {
    if (!is_finished(workload)) {
        workload::set_condition(
            workload, condition::kFinished, workload::ConditionStatus::True, reason, message, now
        );
    }
}

const std::string& slice_name(const api::Workload& workload) {
    const std::string* first =
        workload.metadata.find_annotation(api::annotation::kWorkloadSliceName);
    return first == nullptr ? workload.metadata.name : *first;
}

bool is_requeued_false(const api::Workload& workload, std::string_view reason) {
    const api::Condition* condition = find_condition(workload, condition::kRequeued);
    return condition != nullptr && condition->status == api::condition_status::kFalse &&
           condition->reason == reason;
}

Write finish_orphan(const api::Workload& workload, Time now) {
    api::Workload changed = workload;
    finish(changed, api::reason::kOwnerNotFound, "The workload's owner no longer exists", now);
    return status_write(changed);
}

Time queued_since(const api::Workload& workload) {
    const api::Condition* requeued = find_condition(workload, condition::kRequeued);
    if (requeued != nullptr && requeued->last_transition_time) {
        return *requeued->last_transition_time;
    }
    return workload.metadata.creation_timestamp.value_or(Time{});
}

std::string priority_class_name(const api::Workload& workload) {
    return workload.spec.priority_class_ref ? workload.spec.priority_class_ref->name
                                            : std::string();
}

ObjectKey key_of(const api::Workload& workload) {
    return {kind_of<api::Workload>(), workload.metadata.namespace_, workload.metadata.name};
}

ObjectReference reference_to(const api::Workload& workload) {
    return {
        .api_version = api::kKueueApiVersion,
        .kind = "Workload",
        .namespace_ = workload.metadata.namespace_,
        .name = workload.metadata.name,
        .uid = workload.metadata.uid,
        .resource_version = workload.metadata.resource_version,
    };
}

}  // namespace sluice::controller
