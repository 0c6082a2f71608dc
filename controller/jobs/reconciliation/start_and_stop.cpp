#include "api/kueue/kueue_names.hpp"
#include "api/meta/names.hpp"
#include "base/assert.hpp"
#include "base/earlier.hpp"
#include "controller/jobs/reconciliation/job_reconciliation.hpp"
#include "controller/jobs/reconciliation/workload_of_job.hpp"
#include "controller/reconcile/left_pods.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

// Steps of JobReconciliation that start an admitted job, and stop a job that is not admitted.
namespace sluice::controller {

namespace {

namespace reason = api::reason;

}  // namespace

bool JobReconciliation::is_of_operator() const {
    return kind_.kind() != kind_of<api::Job>() && kind_.kind() != kind_of<api::Pod>();
}

bool JobReconciliation::has_active_pods(const api::Workload& workload) {
    // An operator may leave old counts in the status of an ended job, so check its pods.
    const bool has_stale_counts = is_of_operator() && job_.find_end();
    if (!has_stale_counts && job_.is_active()) {
        look_again_ = earlier(look_again_, active_until());
        return true;
    }
    const auto again =
        is_of_operator() ? look_again_at_pods(stores_, settings_, workload, now_) : std::nullopt;
    look_again_ = earlier(look_again_, again);
    return again.has_value();
}

JobReconciliation::Next JobReconciliation::finish_workload() {
    const auto end = job_.find_end();
    if (!end) {
        return {};
    }
    if (is_of_operator()) {
        if (auto left = wait_for_left_pods(stores_, settings_, &kinds_.all(), *workload_, now_)) {
            return left;
        }
    }
    const bool has_succeeded = end->result == JobEnd::Result::Succeeded;
    return finish_with(has_succeeded ? reason::kSucceeded : reason::kFailed, end->message);
}

/// Stops an evicted job, and releases its quota once no pod is active.
JobReconciliation::Next JobReconciliation::release_evicted() {
    const api::Condition* evicted = find_condition(*workload_, api::condition::kEvicted);
    if (evicted == nullptr || evicted->status != api::condition_status::kTrue) {
        return {};
    }
    if (kept_ && kept_ != workload_ && is_admitted(*kept_) && !has_quota_reserved(*workload_)) {
        return {};  // the larger slice waits again; the job runs on the smaller slice
    }
    const std::string why = reason::kWorkloadEvictedDueTo + evicted->reason;
    if (Next stopping = stop(workload_.get(), evicted->message, why)) {
        if (is_single_pod() && has_quota_reserved(*workload_) && !has_active_pods(*workload_)) {
            // Release now: when the pod is seen to be deleted, its Workload is only finished.
            stopping->writes.push_back(released_quota());
        }
        return stopping;
    }
    if (!has_quota_reserved(*workload_)) {
        return {};
    }
    if (has_active_pods(*workload_)) {
        return {};
    }
    return write(released_quota());
}

/// Handles a job whose Workload is evicted. The condition Evicted stays True until the next
/// admission; until then the job may change its queue.
JobReconciliation::Next JobReconciliation::leave_evicted() {
    const api::Condition* evicted = find_condition(*workload_, api::condition::kEvicted);
    if (evicted == nullptr || evicted->status != api::condition_status::kTrue) {
        return {};
    }
    if (has_quota_reserved(*workload_)) {
        return Outcome{};
    }
    if (Next deletion = delete_deactivated(*evicted)) {
        return deletion;
    }
    Next following = follow_queue_name();
    return following ? std::move(following) : Outcome{};
}

Write JobReconciliation::released_quota() const {
    api::Workload changed = *workload_;
    workload::release_quota(changed, settings_.gates, now_);
    const api::Condition* evicted = find_condition(*workload_, api::condition::kEvicted);
    const bool has_not_begun = is_single_pod() && job_.is_suspended() && !job_.find_end();
    if (has_not_begun && evicted != nullptr && evicted->reason == reason::kPreempted) {
        // The stop did not end the pod: it waits to be admitted again.
        workload::set_condition(
            changed,
            api::condition::kRequeued,
            workload::ConditionStatus::True,
            evicted->reason,
            evicted->message,
            now_
        );
    }
    return status_write(changed);
}

JobReconciliation::Next JobReconciliation::delete_deactivated(const api::Condition& evicted) {
    const auto& retention = settings_.retention.after_deactivated_by_kueue;
    if (!retention || sluice::controller::is_active(*workload_) ||
        !evicted.reason.starts_with(reason::kDeactivatedDueTo) || !evicted.last_transition_time) {
        return {};
    }
    Outcome outcome;
    const Time end = *evicted.last_transition_time + *retention;
    if (now_ < end) {
        outcome.requeue_at = end;
        return outcome;
    }
    const api::ObjectMeta& job = job_.metadata();
    Write w{
        .verb = Verb::Delete,
        .object = {kind_.kind(), job.namespace_, job.name},
        .body = {},
        .uid = job.uid,
    };
    w.events.push_back(event(reason::kDeleted, "Deleted job: deactivation retention period expired")
    );
    outcome.writes.push_back(std::move(w));
    return outcome;
}

JobReconciliation::Next JobReconciliation::stop_unadmitted() {
    const bool has_outgrown = replaced_ && !may_run_on(job_, *replaced_);
    const bool may_run =
        !has_outgrown && (is_admitted(*workload_) || (kept_ && may_run_on(job_, *kept_)));
    if (may_run || !runs_at_all()) {
        return {};
    }
    Next stopping = stop(workload_.get(), "Not admitted by cluster queue", reason::kNotAdmitted);
    return stopping ? std::move(stopping) : Outcome{};
}

/// Stops a job that a tenant resumed just before its Workload was admitted: its pods would run on
/// other nodes than those of the flavors that count them.
JobReconciliation::Next JobReconciliation::stop_resumed_by_hand() {
    const auto& admission = workload_->status.admission;
    if (job_.is_suspended() || job_.find_end() || !is_admitted(*workload_) || !admission ||
        !lacks_node_labels(stores_, *admission, job_.node_selectors())) {
        return {};
    }
    Next stopping = stop(workload_.get(), "Resumed without the node labels of its flavors");
    return stopping ? std::move(stopping) : Outcome{};
}

/// Sets the label job-uid on a Workload that another client created for the job. If the Workload
/// loses its owner, the label says that pods may still use it.
JobReconciliation::Next JobReconciliation::label_with_job() {
    const std::string& uid = job_.metadata().uid;
    if (!is_owned_by(workload_->metadata, uid) || api::check_label_value(uid) ||
        workload_->metadata.find_label(api::label::kJobUid) != nullptr) {
        return {};
    }
    return write(workload_patch(
        *workload_,
        json::Object{
            {"metadata", json::Object{{"labels", json::Object{{api::label::kJobUid, uid}}}}}
        }
    ));
}

/// Finishes the Workload of a job that cannot be started. If other pods of its group run, the
/// Workload keeps its quota.
JobReconciliation::Next JobReconciliation::fail_to_start(std::string_view message) {
    if (has_active_pods(*workload_)) {
        return refuse({JobProblem::Reason::InvalidSpec, std::string(message)});
    }
    return finish_with(reason::kFailedToStart, message);
}

JobReconciliation::Next JobReconciliation::start_admitted() {
    const bool runs_on_kept = kept_ && !is_admitted(*workload_) && may_run_on(job_, *kept_);
    if (!job_.is_suspended() && (is_admitted(*workload_) || runs_on_kept)) {
        Next label = label_with_job();
        return label ? std::move(label) : Outcome{};
    }
    if (replaced_) {
        return Outcome{};  // the job has outgrown its only slice
    }
    const auto& admission = workload_->status.admission;
    if (!is_admitted(*workload_) || !admission) {
        if (has_quota_reserved(*workload_)) {
            record_checks();
        }
        return {};
    }
    if (unknown_parent_) {
        return refuse(*unknown_parent_);
    }
    const auto injected = make_pod_set_infos(stores_, *workload_, *admission, settings_);
    if (!injected && !injected.error().is_permanent()) {
        return refuse(injected.error());
    }
    if (!injected) {
        return fail_to_start(injected.error().detail);
    }
    // A job that cannot be read may be fixed by its user; a contradicting injection cannot be.
    if (const auto readable = job_.pod_sets(); !readable) {
        return refuse({JobProblem::Reason::InvalidSpec, readable.error().detail});
    }
    auto writes = job_.start(*injected);
    if (!writes) {
        return fail_to_start(writes.error().detail);
    }
    SLUICE_ASSERT(!writes->empty() || pods_ != nullptr);
    Outcome outcome;
    outcome.writes = std::move(*writes);
    outcome.are_independent = is_group();
    add_event(outcome, reason::kStarted, "Admitted by clusterQueue " + admission->cluster_queue);
    if (pods_ != nullptr) {
        const api::Condition* admitted = find_condition(*workload_, api::condition::kAdmitted);
        for (Write& each : outcome.writes) {
            each.observations.push_back({
                .kind = Observation::Kind::GateOpened,
                .cluster_queue = admission->cluster_queue,
                .reason = api::scheduling_gate::kAdmission,
                .is_group = is_group(),
                .since_admitted =
                    std::max(Duration{}, now_ - admitted->last_transition_time.value_or(now_)),
            });
        }
    }
    return outcome;
}

void JobReconciliation::add_event(Outcome& outcome, std::string_view reason, std::string_view note)
    const {
    for (Write& each : outcome.writes) {
        if (pods_ == nullptr) {
            each.events.push_back(event(reason, note));
            return;
        }
        const api::ObjectMeta* pod = stores_.find_metadata(each.object);
        if (pod != nullptr && (each.verb == Verb::MergePatch || each.verb == Verb::Delete)) {
            each.events.push_back(job_event(kind_, *pod, reason, note));
        }
    }
}

/// Records an event with the messages of the admission checks that the Workload waits for.
void JobReconciliation::record_checks() {
    std::vector<std::string> said;
    for (const api::AdmissionCheckState& check : workload_->status.admission_checks) {
        if (check.state == api::check_state::kPending && !check.message.empty()) {
            said.push_back(check.name + ": " + check.message);
        }
    }
    if (!said.empty()) {
        events_.push_back(
            event(reason::kUpdatedAdmissionCheck, fmt::format("{}", fmt::join(said, "; ")))
        );
    }
}

JobReconciliation::Next JobReconciliation::stop(
    const api::Workload* workload, std::string_view message, std::string_view why
) {
    const StopCause cause{.reason = std::string(why), .message = std::string(message)};
    StopStep step = next_stop_step(job_, cause, workload);
    if (step.kind == StopStep::Kind::Stopped) {
        return {};
    }
    Outcome outcome;
    outcome.writes = std::move(step.writes);
    outcome.requeue_at = step.again_at;
    outcome.are_independent = is_group();
    if (step.kind == StopStep::Kind::Suspend) {
        add_event(outcome, reason::kStopped, message);
    }
    return outcome;
}

}  // namespace sluice::controller
