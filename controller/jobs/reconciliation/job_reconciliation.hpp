#pragma once

#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/jobs/job/job_problem.hpp"
#include "controller/jobs/job/pod_job.hpp"
#include "controller/jobs/reconciliation/job_slices.hpp"
#include "controller/reconcile/view.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace sluice::controller {

/// One reconcile of one job that is there: steps in a row, each of which returns what is to be
/// written or waited for, or goes on to the next (no value).
class JobReconciliation {
  public:
    JobReconciliation(
        const View& view,
        const JobKinds& kinds,
        const JobKind& kind,
        const GenericJob& job,
        Time now
    );

    Outcome run();

  private:
    using Next = std::optional<Outcome>;
    using Step = Next (JobReconciliation::*)();
    using WorkloadPointer = Slices::WorkloadPointer;

    // The steps, in their order.
    Next give_back_foreign_workload();
    Next default_queue();
    Next take_over_lost_workloads();
    Next leave_unmanaged();
    void warn_of_namespace();
    Next follow_ancestor();
    Next settle_members();
    Next adopt_prebuilt_workload();
    Next release_evicted_slices();
    Next choose_slice();
    Next choose_workload();
    Next make_missing_workload();
    Next drop_finished_workload();
    Next update_own_condition();
    Next leave_deleted_workload();
    Next keep_on_hold();
    Next finish_workload();
    Next continue_stop();
    Next copy_admission_gate();
    Next copy_priority_classes();
    Next update_reclaimable_pods();
    Next copy_reclaimable_pods(const api::Workload& workload);
    Next update_pods_ready();
    void tell_of_order(api::Workload& changed) const;
    Next release_evicted();
    Next leave_evicted();
    Next stop_unadmitted();
    Next stop_resumed_by_hand();
    Next label_with_job();
    Next fail_to_start(std::string_view message);
    Next start_admitted();
    Next follow_queue_name();

    // What they are made of.
    bool is_group() const { return pods_ != nullptr && pods_->is_group(); }
    bool is_single_pod() const { return pods_ != nullptr && !pods_->is_group(); }
    /// Returns true if several objects own its Workload, and none of them controls it.
    bool shares_workload() const { return pods_ != nullptr && pods_->find_workloads(); }
    std::optional<Time> active_until() const {
        return pods_ == nullptr ? std::nullopt : pods_->active_until();
    }
    Next settle_before_workload() const {
        return pods_ == nullptr ? std::nullopt : pods_->settle_before_workload(kind_);
    }
    /// Returns the writes that let its pods go where it has ended, or is not managed.
    std::vector<Write> released(bool has_ended) const;
    bool is_in_managed_namespace() const;
    bool is_managed() const;
    /// Returns true if the job runs, if only with some of its pods.
    bool runs_at_all() const { return !job_.is_suspended() || job_.runs_in_part(); }
    /// Returns true if an operator makes the pods of the job: its status may leave out pods that
    /// run. The status of a batch Job and of a pod says all.
    bool is_of_operator() const;
    /// Returns true while pods run that the Workload counts, be the job told to stop or not. Sees
    /// to it that the job is reconciled again.
    bool has_active_pods(const api::Workload& workload);
    /// Removes those that do not describe the job, or changes one of them so that it does.
    Next replace_unlike(const std::vector<WorkloadPointer>& others);
    Next update_to_job(const api::Workload& workload);
    /// Ends one of the slices that do not go on.
    Next end_slices(const LiveSlices& slices);
    Next end_slice(const api::Workload& slice, std::string_view reason, std::string_view message);
    Next copy_pod_counts(const api::Workload& slice, const std::vector<api::PodSet>& wanted);
    Next copy_priority_class(const api::Workload& workload);
    Next stop_without_workload();
    /// Asks for a larger slice while the job runs on the one that this is to replace.
    Next make_larger_slice();
    /// Makes room for a new Workload of that name, or waits until another object has removed it.
    Next settle_name(const std::string& name);
    /// Creates the Workload, once its name is free.
    Next create(const api::Workload& workload);
    /// The prebuilt Workload is not there, or another object's: the job must not run.
    Next finish_out_of_sync();
    bool is_for_group(const api::Workload& workload) const;
    Next wait_for_prebuilt(std::string_view name);
    Outcome remove_workload(const api::Workload& workload);
    Next drop_finalizer(const api::Workload& workload);
    /// No value: the job has stopped.
    Next stop(
        const api::Workload* workload,
        std::string_view message,
        std::string_view why = api::reason::kNoMatchingWorkload
    );
    Next finish_with(std::string_view reason, std::string_view message);
    Next finish_workload_with(
        const api::Workload& workload, std::string_view reason, std::string_view message
    );
    Outcome refuse(const JobProblem& problem);
    Write released_quota() const;
    /// A job that was deactivated for its own fault is deleted after the retention time.
    Next delete_deactivated(const api::Condition& evicted);
    void tell_checks();
    Next write(Write write) const;
    /// Those writes; no value: there is none.
    Next write_all(std::vector<Write> writes) const;
    /// Tells of the job, or of each of its pods that a write is about.
    void tell(Outcome& outcome, std::string_view reason, std::string_view note) const;
    EventNote event(std::string_view reason, std::string_view note) const;
    EventNote finished_event(const api::Workload& workload) const;
    Outcome completed(Outcome outcome);

    const Stores& stores_;
    const Settings& settings_;
    const JobKinds& kinds_;
    const JobKind& kind_;
    const GenericJob& job_;
    const PodJob* pods_;  ///< the job, if its objects are pods
    Time now_;
    std::vector<WorkloadPointer> own_;      ///< Workloads that the job controls
    std::vector<WorkloadPointer> foreign_;  ///< those that it is said to control
    WorkloadPointer workload_;  ///< the one that describes it; chosen by choose_workload
    bool is_prebuilt_ = false;  ///< it was made beforehand, and is not replaced
    WorkloadPointer replaced_;  ///< the slice that a new one is to take the place of
    WorkloadPointer kept_;      ///< the slice whose quota the job runs on, while another waits
    std::vector<EventNote> events_;
    std::optional<Time> look_again_;            ///< whatever happens
    std::optional<JobProblem> unknown_parent_;  ///< why it is not known whether one above counts it
    std::optional<std::string> try_later_;      ///< why a larger slice could not be made
};

/// Returns the merge patch that makes the job the controller of the Workload, besides its other
/// owners.
json::Value adoption_patch(
    const api::Workload& workload, const JobKind& kind, const api::ObjectMeta& job
);

/// A merge patch of a Workload that is refused when it changed since.
Write workload_patch(const api::Workload& workload, json::Value patch);

}  // namespace sluice::controller
