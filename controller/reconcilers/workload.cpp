#include "controller/reconcilers/workload.hpp"

#include "api/core/pod.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/sluice_names.hpp"
#include "api/meta/codec.hpp"
#include "base/earlier.hpp"
#include "controller/reconcile/left_pods.hpp"
#include "controller/reconcile/lost_job.hpp"
#include "controller/reconcile/pod_groups.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "controller/reconcilers/admission_check_states.hpp"
#include "controller/reconcilers/admission_gate.hpp"
#include "controller/reconcilers/admission_note.hpp"
#include "controller/reconcilers/described_owner.hpp"
#include "controller/reconcilers/failed_nodes.hpp"
#include "controller/reconcilers/pods_ready_deadline.hpp"
#include "controller/reconcilers/rejected_pods.hpp"
#include "controller/reconcilers/waiting_reason.hpp"
#include "controller/reconcilers/workload_retention.hpp"
#include "controller/reconcilers/workload_slices.hpp"
#include "workload/pods/text.hpp"
#include "workload/status/messages.hpp"
#include "workload/status/waiting.hpp"
#include "workload/translation/execution_limit.hpp"
#include "workload/translation/queueable.hpp"
#include "workload/translation/slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace sluice::controller {

namespace {

namespace condition = api::condition;
namespace reason = api::reason;

/// One reconcile of one Workload. Each step returns true if it ended the reconcile.
class WorkloadReconcile {
  public:
    WorkloadReconcile(const View& view, const api::Workload& workload, Time now)
        : view_(view), workload_(workload), now_(now) {}

    Outcome run() {
        if (handle_orphan()) {
            return std::move(outcome_);
        }
        if (is_finished(workload_)) {
            return delete_after_retention(workload_, view_.settings.retention, now_);
        }
        const bool ended = end_replaced_slice() || follow_rejecting_nodes() || sync_retry_time() ||
                           (is_active(workload_) ? handle_active() : handle_inactive());
        if (ended) {
            return std::move(outcome_);
        }
        queue_ = view_.stores.of<api::LocalQueue>().find(
            workload_.metadata.namespace_, workload_.spec.queue_name
        );
        if (queue_ && queue_->spec.stop_policy == api::stop_policy::kNone &&
            is_requeued_false(workload_, reason::kLocalQueueStopped)) {
            set_requeued(
                reason::kLocalQueueRestarted, "The LocalQueue was restarted after being stopped"
            );
            return std::move(outcome_);
        }
        if (queue_) {
            cluster_queue_ = view_.stores.of<api::ClusterQueue>().find(queue_->spec.cluster_queue);
        }
        find_waiting();
        if (follow_gate()) {
            return std::move(outcome_);
        }
        if (cluster_queue_ && (follow_restart() || sync_checks())) {
            return std::move(outcome_);
        }
        if (!is_admitted(workload_) && sync_waiting()) {
            return std::move(outcome_);
        }
        if (has_quota_reserved(workload_)) {
            handle_reserved();
        }
        return std::move(outcome_);
    }

  private:
    bool write(const api::Workload& changed, std::vector<EventNote> events = {}) {
        Write w = status_write(changed);
        w.events = std::move(events);
        outcome_.writes.push_back(std::move(w));
        return true;
    }

    bool patch(json::Value body, Verb verb = Verb::MergePatch) {
        outcome_.writes.push_back(
            strict_patch(key_of(workload_), workload_.metadata, std::move(body), verb)
        );
        return true;
    }

    EventNote event(
        std::string_view reason, std::string_view note, EventType type = EventType::Normal
    ) const {
        return {
            .regarding = reference_to(workload_),
            .type = type,
            .reason = std::string(reason),
            .note = workload::truncated_event_note(note),
            .reporting_controller = std::string(kWorkloadController),
        };
    }

    bool evict_now(const workload::Eviction& eviction, const api::Workload& prepared) {
        api::Workload changed = prepared;
        const bool is_first = workload::evict(changed, eviction, now_);
        Write w = status_write(changed);
        note_eviction(w, workload_, eviction, is_first, kWorkloadController, now_);
        outcome_.writes.push_back(std::move(w));
        return true;
    }

    bool set_requeued(std::string_view reason, std::string_view message) {
        return set_requeued(reason, message, workload_);
    }
    bool set_requeued(std::string_view reason, std::string_view message, api::Workload changed) {
        workload::set_condition(
            changed, condition::kRequeued, workload::ConditionStatus::True, reason, message, now_
        );
        return write(changed);
    }

    /// Returns true if a job reconciler manages the Workload: it removes the finalizer in time.
    bool has_known_owner() const {
        if (is_of_pod_group(workload_.metadata)) {
            return view_.job_kinds != nullptr && view_.job_kinds->contains(kind_of<api::Pod>());
        }
        const api::OwnerReference* owner = workload_.metadata.controller_owner();
        const auto kind =
            owner == nullptr
                ? std::nullopt
                : view_.stores.find_kind(kube::group_of(owner->api_version), owner->kind);
        return kind && view_.job_kinds != nullptr && view_.job_kinds->contains(*kind);
    }

    /// Removes the finalizer and releases the quota of a Workload without an owner that is managed
    /// here: when the Workload is deleted (by the garbage collector, if its owner is gone), and
    /// when its owner was taken from it and no pods are left. A Workload with an owner of an
    /// unknown kind stays as it is.
    bool handle_orphan() {
        if (has_known_owner()) {
            return workload_.metadata.deletion_timestamp.has_value();
        }
        const bool is_deleting = workload_.metadata.deletion_timestamp.has_value();
        const bool had_job =
            view_.settings.finish_orphaned_workloads && lost_job_of(workload_.metadata) != nullptr;
        if (!is_deleting && !had_job) {
            return false;
        }
        if (auto left = wait_for_left_pods(
                view_.stores, view_.settings, view_.job_kinds, workload_, now_
            )) {
            outcome_ = std::move(*left);
            return is_deleting || !outcome_.writes.empty();
        }
        if (!is_deleting && !is_finished(workload_)) {
            outcome_ = end_without_job(view_.stores, view_.job_kinds, workload_, now_);
            return true;
        }
        if (auto without = remove_finalizer(workload_)) {
            outcome_.writes.push_back(std::move(*without));
            return true;
        }
        return is_deleting;
    }

    /// Finishes a slice that was replaced. The scheduler leaves this to the reconciler, which sees
    /// it even after a restart.
    bool end_replaced_slice() {
        const auto replacement = find_replacement_of_slice(view_.stores, view_.settings, workload_);
        if (!replacement) {
            return false;
        }
        const std::string message = workload::replacement_message(*replacement);
        api::Workload changed = workload_;
        finish(changed, reason::kWorkloadSliceReplaced, message, now_);
        EventNote note = event(reason::kWorkloadSliceReplaced, message);
        note.reporting_controller = "kueue-admission";
        return write(changed, {std::move(note)});
    }

    /// Copies the latest time at which a check in Retry may be tried again into requeueState. Skips
    /// a time that has passed: handle_active() would remove it again.
    bool sync_retry_time() {
        std::optional<Time> latest;
        for (const api::AdmissionCheckState* check :
             checks_in(workload_, api::check_state::kRetry)) {
            if (check->last_transition_time && check->requeue_after_seconds) {
                const Time at = *check->last_transition_time +
                                std::chrono::seconds(*check->requeue_after_seconds);
                latest = latest ? std::max(*latest, at) : at;
            }
        }
        api::Workload changed = workload_;
        return latest && *latest > now_ && workload::delay_requeue(changed, *latest) &&
               write(changed);
    }

    bool handle_active() {
        if (is_true(workload_, condition::kDeactivationTarget)) {
            return patch(json::Object{{"spec", json::Object{{"active", false}}}});
        }
        const auto& state = workload_.status.requeue_state;
        if (state && state->requeue_at) {
            if (*state->requeue_at > now_) {
                outcome_.requeue_at = *state->requeue_at;
                return true;
            }
            if (!has_quota_reserved(workload_)) {
                return write(workload::without_requeue_at(workload_));
            }
        }
        return flip_requeued();
    }

    bool flip_requeued() {
        const api::Condition* requeued = find_condition(workload_, condition::kRequeued);
        if (requeued == nullptr || requeued->status != api::condition_status::kFalse) {
            return false;
        }
        // This includes Workloads that Sluice itself deactivated (DeactivatedDueTo…): a user who
        // activates one wants it to run.
        if (requeued->reason.starts_with(reason::kDeactivated)) {
            return set_requeued(reason::kReactivated, "The workload was reactivated");
        }
        if (requeued->reason == reason::kPodsReadyTimeout ||
            requeued->reason == reason::kAdmissionCheck ||
            requeued->reason == reason::kPodRejected) {
            return set_requeued(
                reason::kBackoffFinished,
                "The workload backoff was finished",
                workload::without_requeue_at(workload_)
            );
        }
        return false;
    }

    bool handle_inactive() {
        const api::Condition* target = find_condition(workload_, condition::kDeactivationTarget);
        const bool evicted = is_evicted(workload_);
        if (evicted && !workload_.status.requeue_state && target == nullptr) {
            return false;
        }
        workload::Eviction eviction{
            .reason = reason::kDeactivated, .message = "The workload is deactivated", .cause = {}
        };
        api::Workload changed = workload_;
        if (target != nullptr) {
            eviction.cause = target->reason;
            eviction.message += " due to " + target->message;
            std::erase_if(changed.status.conditions, [](const api::Condition& c) {
                return c.type_ == condition::kDeactivationTarget;
            });
        }
        changed.status.requeue_state.reset();
        if (!evicted) {
            return evict_now(eviction, changed);
        }
        // Unlike a server-side apply, a merge patch can remove fields that another manager owns.
        json::Value status = json::Object{{"requeueState", nullptr}};
        json::Array conditions;
        for (const api::Condition& condition : changed.status.conditions) {
            conditions.push_back(api::to_value(condition));
        }
        status.set("conditions", std::move(conditions));
        return patch(json::Object{{"status", std::move(status)}}, Verb::MergePatchStatus);
    }

    bool follow_gate() {
        auto write = follow_admission_gate(workload_, waiting_, view_.settings, now_);
        if (write) {
            outcome_.writes.push_back(std::move(*write));
        }
        return write.has_value();
    }

    bool follow_restart() {
        return cluster_queue_->spec.stop_policy == api::stop_policy::kNone &&
               is_requeued_false(workload_, reason::kClusterQueueStopped) &&
               set_requeued(
                   reason::kClusterQueueRestarted,
                   "The ClusterQueue was restarted after being stopped"
               );
    }

    bool sync_checks() {
        api::Workload changed = workload_;
        if (!workload::sync_admission_checks(changed, *cluster_queue_, now_)) {
            return false;
        }
        json::Array list;
        for (const api::AdmissionCheckState& check : changed.status.admission_checks) {
            list.push_back(api::to_value(check));
        }
        const json::Value value = list.empty() ? json::Value() : json::Value(std::move(list));
        return patch(
            json::Object{{"status", json::Object{{"admissionChecks", value}}}},
            Verb::MergePatchStatus
        );
    }

    void find_waiting() {
        if (has_quota_reserved(workload_)) {
            return;
        }
        waiting_ = find_missing_description(
            workload_, view_.stores, view_.job_kinds, view_.withdrawn_kinds
        );
        if (!waiting_) {
            waiting_ = find_waiting_reason(
                workload_, queue_.get(), cluster_queue_.get(), view_.translator, view_.settings
            );
        }
    }

    /// Writes QuotaReserved=False with its reason, and the condition Admitted that follows.
    bool sync_waiting() {
        api::Workload changed = workload_;
        bool is_changed = false;
        if (waiting_) {
            is_changed = workload::set_condition(
                changed,
                condition::kQuotaReserved,
                workload::ConditionStatus::False,
                waiting_->reason,
                waiting_->message,
                now_
            );
        }
        is_changed = workload::sync_admitted(changed, view_.settings.gates, now_) || is_changed;
        if (!is_changed) {
            return false;
        }
        Write w = status_write(changed);
        if (is_admitted(changed) && changed.status.admission) {
            note_admission(w, workload_, changed.status.admission->cluster_queue, now_);
        }
        outcome_.writes.push_back(std::move(w));
        return true;
    }

    /// Releases the quota of a deactivated Workload that lost its job. If orphans are not finished,
    /// no other step does it.
    bool release_deactivated_orphan() {
        if (is_active(workload_) || !is_evicted(workload_) ||
            lost_job_of(workload_.metadata) == nullptr) {
            return false;
        }
        if (auto left = wait_for_left_pods(
                view_.stores, view_.settings, view_.job_kinds, workload_, now_
            )) {
            outcome_ = std::move(*left);
            return true;
        }
        api::Workload changed = workload_;
        workload::release_quota(changed, view_.settings.gates, now_);
        return write(changed);
    }

    void handle_reserved() {
        if (release_deactivated_orphan()) {
            return;
        }
        if (evict_for_checks() || follow_local_queue() || follow_cluster_queue() ||
            follow_nodes() || evict_for_rejected_pods()) {
            return;
        }
        if (!watch_pods_ready()) {
            watch_execution_time();
        }
    }

    bool follow_nodes() {
        NodesStep step = follow_failed_nodes(view_, workload_, now_);
        outcome_.requeue_at = earlier(outcome_.requeue_at, step.look_again);
        std::ranges::move(step.writes, std::back_inserter(outcome_.writes));
        return !step.writes.empty() || (step.eviction && evict_now(*step.eviction, workload_));
    }

    /// Writes down which nodes rejected its pods, and forgets them in time.
    bool follow_rejecting_nodes() {
        rejecting_ = find_rejecting_nodes(view_.stores, workload_, now_);
        outcome_.requeue_at = earlier(outcome_.requeue_at, rejecting_.next_forgotten);
        return rejecting_.has_changed && patch(rejecting_nodes_patch(rejecting_));
    }

    /// Evicts a Workload with a pod that a kubelet rejected. Back-off and its limit are those of
    /// pods that are not ready in time; without such a configuration, its defaults.
    bool evict_for_rejected_pods() {
        if (is_evicted(workload_) || rejecting_.message.empty()) {
            return false;
        }
        const auto& policy = view_.settings.wait_for_pods_ready;
        return evict_with_back_off(
            policy ? policy->requeuing_strategy : config::RequeuingStrategy(),
            {.reason = reason::kPodRejected, .message = rejecting_.message, .cause = {}}
        );
    }

    /// Evicts a Workload whose pods are not ready in time; deactivates it once the limit is
    /// reached.
    bool watch_pods_ready() {
        const auto& policy = view_.settings.wait_for_pods_ready;
        if (!policy || is_evicted(workload_)) {
            return false;
        }
        const auto deadline = find_pods_ready_deadline(view_.stores, workload_, *policy);
        if (!deadline) {
            return false;
        }
        if (now_ < deadline->at) {
            outcome_.requeue_at = earlier(outcome_.requeue_at, deadline->at);
            return false;
        }
        return evict_with_back_off(
            policy->requeuing_strategy,
            {.reason = reason::kPodsReadyTimeout,
             .message = "Exceeded the PodsReady timeout " + to_string(key_of(workload_)),
             .cause = deadline->cause}
        );
    }

    /// Evicts the Workload for a time that doubles with each, or deactivates it at the limit.
    bool evict_with_back_off(
        const config::RequeuingStrategy& strategy, const workload::Eviction& eviction
    ) {
        const auto prepared = backed_off(workload_, strategy, now_);
        return prepared ? evict_now(eviction, *prepared)
                        : deactivate(
                              reason::kRequeuingLimitExceeded,
                              "exceeding the maximum number of re-queuing retries"
                          );
    }

    bool evict_for_checks() {
        if (is_evicted(workload_)) {
            return false;
        }
        if (const auto rejected = checks_in(workload_, api::check_state::kRejected);
            !rejected.empty()) {
            const std::string message = checks_sentence(rejected, api::check_state::kRejected);
            return deactivate(
                reason::kAdmissionCheck,
                message,
                {event(
                    reason::kAdmissionCheckRejected,
                    "Deactivated due to " + message,
                    EventType::Warning
                )}
            );
        }
        if (const auto retry = checks_in(workload_, api::check_state::kRetry); !retry.empty()) {
            const std::string message =
                "Evicted due to " + checks_sentence(retry, api::check_state::kRetry);
            return evict_now(
                {.reason = reason::kAdmissionCheck, .message = message, .cause = {}}, workload_
            );
        }
        return false;
    }

    bool deactivate(
        std::string_view cause, const std::string& message, std::vector<EventNote> events = {}
    ) {
        if (is_true(workload_, condition::kDeactivationTarget)) {
            return true;
        }
        api::Workload changed = workload_;
        workload::set_condition(
            changed,
            condition::kDeactivationTarget,
            workload::ConditionStatus::True,
            cause,
            message,
            now_
        );
        if (cause == reason::kMaximumExecutionTimeExceeded) {
            changed.status.accumulated_past_execution_time_seconds.reset();
        }
        return write(changed, std::move(events));
    }

    /// Returns `reason` with gate UnadmittedWorkloadsObservability, else the older `without_gate`.
    std::string_view detailed(std::string_view reason, std::string_view without_gate) const {
        return view_.settings.gates.unadmitted_workloads_observability ? reason : without_gate;
    }

    bool lose_reservation(std::string_view cause, const std::string& message) {
        const std::string_view reason = detailed(cause, reason::kInadmissible);
        api::Workload changed = workload_;
        workload::unset_reservation(changed, reason, message, view_.settings.gates, now_);
        return write(changed);
    }

    bool follow_local_queue() {
        const std::string_view policy =
            queue_ ? std::string_view(queue_->spec.stop_policy) : api::stop_policy::kNone;
        if (is_admitted(workload_)) {
            return policy == api::stop_policy::kHoldAndDrain && !is_evicted(workload_) &&
                   evict_now(
                       {.reason = reason::kLocalQueueStopped,
                        .message = "The LocalQueue is stopped",
                        .cause = {}},
                       workload_
                   );
        }
        const std::string& name = workload_.spec.queue_name;
        if (!queue_ || queue_->metadata.deletion_timestamp) {
            return lose_reservation(
                reason::kMisconfigured, fmt::format("LocalQueue {} is terminating or missing", name)
            );
        }
        return policy != api::stop_policy::kNone &&
               lose_reservation(reason::kSuspended, fmt::format("LocalQueue {} is stopped", name));
    }

    bool follow_cluster_queue() {
        const std::string_view policy = cluster_queue_
                                            ? std::string_view(cluster_queue_->spec.stop_policy)
                                            : api::stop_policy::kNone;
        if (is_admitted(workload_)) {
            return policy == api::stop_policy::kHoldAndDrain && !is_evicted(workload_) &&
                   evict_now(
                       {.reason = reason::kClusterQueueStopped,
                        .message = "The ClusterQueue is stopped",
                        .cause = {}},
                       workload_
                   );
        }
        const std::string name = queue_ ? queue_->spec.cluster_queue : std::string();
        if (!cluster_queue_ || cluster_queue_->metadata.deletion_timestamp) {
            return lose_reservation(
                reason::kMisconfigured,
                fmt::format("ClusterQueue {} is terminating or missing", name)
            );
        }
        return policy != api::stop_policy::kNone &&
               lose_reservation(
                   reason::kSuspended, fmt::format("ClusterQueue {} is stopped", name)
               );
    }

    void watch_execution_time() {
        const auto limit = workload_.spec.maximum_execution_time_seconds;
        const auto end = workload::execution_limit(workload_);
        // A deactivated Workload stays admitted until its pods are gone.
        if (!limit || !end || !workload_.spec.active.value_or(true)) {
            return;
        }
        if (*end > now_) {
            outcome_.requeue_at = earlier(outcome_.requeue_at, end);
            return;
        }
        deactivate(
            reason::kMaximumExecutionTimeExceeded,
            "exceeding the maximum execution time",
            {event(
                reason::kMaximumExecutionTimeExceeded,
                fmt::format("The maximum execution time ({}s) exceeded", *limit),
                EventType::Warning
            )}
        );
    }

    const View& view_;
    const api::Workload& workload_;
    Time now_;
    std::shared_ptr<const api::LocalQueue> queue_;
    std::shared_ptr<const api::ClusterQueue> cluster_queue_;
    std::optional<workload::Waiting> waiting_;  ///< why quota is not reserved, if it is known
    RejectingNodes rejecting_;
    Outcome outcome_;
};

}  // namespace

Outcome reconcile_workload(const View& view, std::string_view ns, std::string_view name, Time now) {
    const auto workload = view.stores.of<api::Workload>().find(ns, name);
    return workload ? WorkloadReconcile(view, *workload, now).run() : Outcome{};
}

}  // namespace sluice::controller
