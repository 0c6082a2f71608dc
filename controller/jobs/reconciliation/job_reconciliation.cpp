#include "controller/jobs/reconciliation/job_reconciliation.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/kueue/sluice_names.hpp"
#include "api/meta/codec.hpp"
#include "base/earlier.hpp"
#include "controller/jobs/admission/child_room.hpp"
#include "controller/jobs/job/default_queue.hpp"
#include "controller/jobs/job/job_ancestors.hpp"
#include "controller/jobs/reconciliation/job_slices.hpp"
#include "controller/jobs/reconciliation/workload_of_job.hpp"
#include "controller/reconcile/lost_job.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <utility>

namespace sluice::controller {

namespace {

namespace reason = api::reason;

/// How often a child that exceeds its parent is stopped, if its controller resumes it.
constexpr Duration kStopInterval = std::chrono::seconds(10);

}  // namespace

JobReconciliation::JobReconciliation(
    const View& view, const JobKinds& kinds, const JobKind& kind, const GenericJob& job, Time now
)
    : stores_(view.stores),
      settings_(view.settings),
      kinds_(kinds),
      kind_(kind),
      job_(job),
      pods_(job.as_pods()),
      now_(now) {
    if (auto own = pods_ == nullptr ? std::nullopt : pods_->find_workloads()) {
        own_ = std::move(*own);
        return;
    }
    const api::ObjectMeta& metadata = job.metadata();
    const ObjectKey key{kind.kind(), metadata.namespace_, metadata.name};
    for (const auto& workload : workloads_of_object(stores_, key, metadata.uid)) {
        (holds_quota_of_another(*workload, metadata.uid) ? foreign_ : own_).push_back(workload);
    }
}

Outcome JobReconciliation::run() {
    enum class Part : std::uint8_t {
        Choice,  ///< an outcome ends the reconcile
        Stop,    ///< an outcome without writes (e.g. pods are ending) lets the reports follow
        Report,  ///< later steps run even if the API server refuses the writes
        Start,   ///< skipped if the job has to stop
    };
    struct Row {
        Step step;
        Part part = Part::Choice;
    };
    constexpr Row kSteps[] = {
        // Decide whether the job is managed, and which Workload is its own.
        {&JobReconciliation::give_back_foreign_workload},
        {&JobReconciliation::default_queue},
        {&JobReconciliation::take_over_lost_workloads},
        {&JobReconciliation::leave_unmanaged},
        {&JobReconciliation::follow_ancestor},
        {&JobReconciliation::adopt_prebuilt_workload},
        {&JobReconciliation::settle_members},
        {&JobReconciliation::release_evicted_slices},
        {&JobReconciliation::choose_slice},
        {&JobReconciliation::choose_workload},
        {&JobReconciliation::make_missing_workload, Part::Report},
        // Take away what the job may not have (any more).
        {&JobReconciliation::drop_finished_workload},
        {&JobReconciliation::leave_deleted_workload},
        {&JobReconciliation::keep_on_hold},
        {&JobReconciliation::finish_workload},
        {&JobReconciliation::continue_stop, Part::Stop},
        {&JobReconciliation::release_evicted, Part::Stop},
        {&JobReconciliation::stop_unadmitted, Part::Stop},
        {&JobReconciliation::stop_resumed_by_hand, Part::Stop},
        // Report the job's state.
        {&JobReconciliation::update_own_condition, Part::Report},
        {&JobReconciliation::copy_admission_gate, Part::Report},
        {&JobReconciliation::copy_priority_classes, Part::Report},
        {&JobReconciliation::update_reclaimable_pods, Part::Report},
        {&JobReconciliation::update_pods_ready, Part::Report},
        // Start the job and follow its queue name.
        {&JobReconciliation::leave_evicted, Part::Start},
        {&JobReconciliation::start_admitted, Part::Start},
        {&JobReconciliation::follow_queue_name, Part::Start},
    };
    std::optional<Outcome> chosen;
    bool has_to_stop = false;
    for (const Row& row : kSteps) {
        if (has_to_stop && row.part != Part::Report) {
            continue;
        }
        Next outcome = (this->*row.step)();
        if (outcome && row.part == Part::Stop && outcome->writes.empty()) {
            has_to_stop = true;
            continue;
        }
        if (outcome && !chosen) {
            chosen = std::move(*outcome);
        } else if (outcome && !outcome->writes.empty()) {
            chosen->instead.push_back(std::move(outcome->writes));
        }
        const bool goes_on =
            row.part == Part::Report && workload_ && chosen && !chosen->writes.empty();
        if (outcome && !goes_on) {
            break;
        }
    }
    return completed(chosen ? std::move(*chosen) : Outcome());
}

Outcome JobReconciliation::completed(Outcome outcome) {
    if (look_again_ && (!outcome.requeue_at || *look_again_ < *outcome.requeue_at)) {
        outcome.requeue_at = look_again_;
    }
    if (outcome.writes.empty() && !outcome.try_later) {
        outcome.try_later = std::move(try_later_);
    }
    outcome.events.insert(
        outcome.events.begin(),
        std::make_move_iterator(events_.begin()),
        std::make_move_iterator(events_.end())
    );
    return outcome;
}

bool JobReconciliation::is_in_managed_namespace() const {
    const auto ns = stores_.of<api::Namespace>().find(job_.metadata().namespace_);
    const auto& selector = settings_.managed_jobs_namespaces;
    return ns && (!selector || selector->matches(ns->metadata.labels));
}

bool JobReconciliation::is_managed() const {
    return is_in_managed_namespace() && asks_to_be_managed(job_.metadata(), settings_);
}

/// Sets the default queue of a job that was created while the webhook failed. For jobs without a
/// queue name that webhook may fail, so that a dead controller does not block them.
JobReconciliation::Next JobReconciliation::default_queue() {
    const api::ObjectMeta& job = job_.metadata();
    if (!find_value(job.labels, api::label::kQueueName).empty() || !own_.empty() ||
        job_.find_end() || job.deletion_timestamp || kind_.admission() == nullptr ||
        pods_ != nullptr || job_.is_left_alone() || is_owned_by_job(kinds_, stores_, job)) {
        return {};
    }
    const auto queue = find_default_queue(stores_, job.namespace_);
    if (!queue || !missed_default_queue(job, job_.is_suspended(), *queue) ||
        !is_in_managed_namespace()) {
        return {};
    }
    return write(job_patch(
        kind_.kind(),
        job,
        json::Object{
            {"metadata",
             json::Object{{"labels", json::Object{{api::label::kQueueName, kDefaultQueue}}}}},
        }
    ));
}

/// Releases a job that is not managed. A job that lost its queue name, or a pod that lost the label
/// `managed`, stays managed while it has a Workload. Otherwise the Workload would be admitted
/// without a job, or would hold its quota after the job's end; and pods could run without quota.
JobReconciliation::Next JobReconciliation::leave_unmanaged() {
    Outcome outcome;
    const bool has_lost_mark =
        pods_ != nullptr && std::ranges::any_of(own_, [this](const auto& workload) {
            return is_owned_by(workload->metadata, job_.metadata().uid, OwnerRole::Member);
        });
    if (!job_.is_left_alone() || has_lost_mark) {
        if (is_managed() || !own_.empty()) {
            return {};
        }
        if (pods_ == nullptr && is_in_managed_namespace()) {
            const auto ancestor =
                find_managed_ancestor(kinds_, stores_, settings_, job_.metadata());
            if (!ancestor) {
                outcome.try_later = ancestor.error().detail;  // the owner may not be known yet
                return outcome;
            }
            if (ancestor->has_value()) {
                return {};
            }
        }
    }
    warn_of_namespace();
    Next release = write_all(released(false));
    return release ? std::move(release) : outcome;
}

/// Warns that a suspended job names a queue in a namespace that is not managed. Nothing else
/// explains to the user why the job does not start.
void JobReconciliation::warn_of_namespace() {
    const api::ObjectMeta& job = job_.metadata();
    const std::string_view queue = find_value(job.labels, api::label::kQueueName);
    if (queue.empty() || job.deletion_timestamp || !job_.is_suspended() || job_.find_end() ||
        is_in_managed_namespace() || !stores_.of<api::Namespace>().find(job.namespace_)) {
        return;
    }
    events_.push_back(job_warning(
        kind_,
        job,
        reason::kNamespaceNotManaged,
        fmt::format(
            "The job is suspended and names the LocalQueue \"{}\", but "
            "managedJobsNamespaceSelector does not match its namespace: Sluice will not start it",
            queue
        )
    ));
}

/// Handles a job below a managed job: its pods are counted there, so it has no Workload and runs
/// while the job above is admitted. A job that got an owner while it ran on its own quota keeps
/// that quota until it ends, because a user can write an owner to evade it. A Workload of another
/// job that names this job as owner does not count.
JobReconciliation::Next JobReconciliation::follow_ancestor() {
    if (pods_ != nullptr) {
        return {};
    }
    const auto ancestor = find_managed_ancestor(kinds_, stores_, settings_, job_.metadata());
    if (!ancestor) {
        // Without a Workload, the job gets none while its parent is unknown. With one it goes on,
        // but it does not start if the parent may still appear.
        if (!own_.empty()) {
            const api::OwnerReference* owner = job_.metadata().controller_owner();
            const bool may_be_seen =
                stores_.find_kind(kube::group_of(owner->api_version), owner->kind).has_value();
            if (may_be_seen && ancestor.error().reason == JobProblem::Reason::OwnerNotFound) {
                unknown_parent_ = ancestor.error();
            }
            return {};
        }
        // An endless chain of owners (a circle): without a Workload nothing counts the job.
        const bool is_endless = ancestor.error().reason == JobProblem::Reason::NestingTooDeep;
        if (is_endless && is_managed() && runs_at_all() && !job_.find_end()) {
            if (Next stopping = stop(nullptr, ancestor.error().detail)) {
                return stopping;
            }
        }
        return refuse(ancestor.error());
    }
    const std::optional<ObjectKey>& parent = *ancestor;
    const bool runs_by_itself =
        !job_.is_suspended() && std::ranges::any_of(own_, [this](const WorkloadPointer& workload) {
            return has_quota_reserved(*workload) && describes(job_, *workload, settings_);
        });
    if (!parent || runs_by_itself) {
        return {};
    }
    for (const WorkloadPointer& workload : own_) {
        // A Workload that only another finalizer keeps does not matter.
        if (Outcome removal = remove_workload(*workload); !removal.writes.empty()) {
            return removal;
        }
    }
    if (job_.is_suspended() || job_.find_end()) {
        return Outcome{};
    }
    std::optional<std::string> excess;
    if (may_run_below(stores_, settings_, *parent, job_.metadata())) {
        excess = find_excess(kinds_, stores_, settings_, kind_.kind(), job_.metadata(), job_);
        if (!excess) {
            return Outcome{};
        }
    }
    // The controller above may resume the job after each stop: wait between stops, so that the
    // two do not write without end.
    const bool is_undone = job_.is_stop_undone();
    const auto resumed = is_undone && job_.is_resuming() ? now_ : job_.resumed_at();
    if ((excess || is_undone) && resumed && now_ < *resumed + kStopInterval) {
        Outcome later;
        later.requeue_at = *resumed + kStopInterval;
        return later;
    }
    const StopStep step = job_.next_stop_step(nullptr);
    Outcome outcome;
    outcome.writes = step.writes;
    if (step.kind == StopStep::Kind::Suspend && !outcome.writes.empty()) {
        outcome.writes.front().events.push_back(
            excess ? job_warning(kind_, job_.metadata(), reason::kExceedsParent, *excess)
                   : event(reason::kSuspended, "Kueue managed child job suspended")
        );
    }
    return outcome;
}

std::vector<Write> JobReconciliation::released(bool has_ended) const {
    if (pods_ == nullptr) {
        return {};
    }
    return has_ended ? pods_->release() : pods_->release_deleted();
}

JobReconciliation::Next JobReconciliation::settle_members() {
    if (pods_ == nullptr) {
        return {};
    }
    look_again_ = earlier(look_again_, pods_->look_again_at());
    return pods_->settle_members(kind_);
}

Outcome JobReconciliation::refuse(const JobProblem& problem) {
    if (const std::string_view reason = to_string(problem.reason); !reason.empty()) {
        events_.push_back(job_warning(kind_, job_.metadata(), reason, problem.detail));
    }
    Outcome outcome;
    if (!problem.is_permanent()) {
        outcome.try_later = problem.detail;  // a permanent problem waits for a change of the job
    }
    return outcome;
}

JobReconciliation::Next JobReconciliation::drop_finished_workload() {
    if (!is_finished(*workload_)) {
        return {};
    }
    // The quota is released, though the job may not have ended: it could not be started with the
    // admission, and a user resumed it.
    if (!job_.find_end() && runs_at_all()) {
        if (Next stopping = stop(workload_.get(), "The Workload has finished")) {
            return stopping;
        }
    }
    if (Next release = write_all(released(true))) {
        return release;
    }
    Outcome outcome;
    if (auto without = remove_finalizer(*workload_)) {
        // If the job has ended, finish_workload() has recorded the event.
        if (!job_.find_end()) {
            without->events.push_back(finished_event(*workload_));
        }
        outcome.writes.push_back(std::move(*without));
    }
    return outcome;
}

JobReconciliation::Next JobReconciliation::leave_deleted_workload() {
    if (!workload_->metadata.deletion_timestamp) {
        return {};
    }
    if (Next stopping = stop(workload_.get(), "Workload is deleted", reason::kWorkloadDeleted)) {
        return stopping;
    }
    if (has_quota_reserved(*workload_) && !is_finished(*workload_) && has_active_pods(*workload_)) {
        return Outcome{};  // the finalizer keeps the quota until the pods have ended
    }
    Next drop = drop_finalizer(*workload_);
    return drop ? std::move(drop) : Outcome{};
}

/// Releases the quota of a job that waits for its user.
JobReconciliation::Next JobReconciliation::keep_on_hold() {
    if (!job_.may_be_on_hold()) {
        return {};
    }
    const auto hold = job_.find_hold();
    api::Workload changed = *workload_;
    if (!hold) {
        const bool resumes = workload::resume_from_hold(changed, settings_.gates, now_);
        return resumes ? write(status_write(changed)) : Next();
    }
    if (has_quota_reserved(*workload_) &&
        workload::put_on_hold(changed, *hold, settings_.gates, now_)) {
        return write(status_write(changed));
    }
    return Outcome{};
}

/// Completes a stop that has begun, whatever has happened to the Workload meanwhile.
JobReconciliation::Next JobReconciliation::continue_stop() {
    if (!job_.is_stop_unfinished()) {
        return {};
    }
    Next stopping = stop(workload_.get(), "");
    return stopping ? std::move(stopping) : Outcome{};
}

JobReconciliation::Next JobReconciliation::follow_queue_name() {
    const std::string_view queue = find_value(job_.metadata().labels, api::label::kQueueName);
    if (queue == workload_->spec.queue_name || (pods_ != nullptr && !pods_->may_change_queue())) {
        return {};
    }
    const json::Value value = queue.empty() ? json::Value() : json::Value(queue);
    return write(
        workload_patch(*workload_, json::Object{{"spec", json::Object{{"queueName", value}}}})
    );
}

JobReconciliation::Next JobReconciliation::finish_with(
    std::string_view why, std::string_view message
) {
    return finish_workload_with(*workload_, why, message);
}

JobReconciliation::Next JobReconciliation::finish_workload_with(
    const api::Workload& workload, std::string_view why, std::string_view message
) {
    api::Workload changed = workload;
    finish(changed, why, message, now_);
    Write w = status_write(changed);
    w.events.push_back(finished_event(workload));
    return write(std::move(w));
}

JobReconciliation::Next JobReconciliation::write(Write write) const {
    Outcome outcome;
    outcome.writes.push_back(std::move(write));
    return outcome;
}

JobReconciliation::Next JobReconciliation::write_all(std::vector<Write> writes) const {
    if (writes.empty()) {
        return {};
    }
    Outcome outcome;
    outcome.writes = std::move(writes);
    outcome.are_independent = is_group();
    return outcome;
}

EventNote JobReconciliation::event(std::string_view reason, std::string_view note) const {
    return job_event(kind_, job_.metadata(), reason, note);
}

EventNote JobReconciliation::finished_event(const api::Workload& workload) const {
    return event(
        reason::kFinishedWorkload,
        fmt::format("Workload '{}' is declared finished", to_string(key_of(workload)))
    );
}

}  // namespace sluice::controller
