// One reconcile of one job: the ordered steps and the state that they share.
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

/// One reconcile of one existing job. It runs steps in order; each step returns an outcome (writes,
/// or a reason to wait), or nullopt to continue with the next step.
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

    // The steps; run() defines their order.
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
    void report_order(api::Workload& changed) const;
    Next release_evicted();
    Next leave_evicted();
    Next stop_unadmitted();
    Next stop_resumed_by_hand();
    Next label_with_job();
    Next fail_to_start(std::string_view message);
    Next start_admitted();
    Next follow_queue_name();

    // Helpers of the steps.
    bool is_group() const { return pods_ != nullptr && pods_->is_group(); }
    bool is_single_pod() const { return pods_ != nullptr && !pods_->is_group(); }
    /// Returns true if several objects own the job's Workload, and none of them controls it.
    bool shares_workload() const { return pods_ != nullptr && pods_->find_workloads(); }
    std::optional<Time> active_until() const {
        return pods_ == nullptr ? std::nullopt : pods_->active_until();
    }
    Next settle_before_workload() const {
        return pods_ == nullptr ? std::nullopt : pods_->settle_before_workload(kind_);
    }
    /// Returns the writes that release the job's pods if it has ended, or if it is not managed.
    std::vector<Write> released(bool has_ended) const;
    bool is_in_managed_namespace() const;
    bool is_managed() const;
    /// Returns true if the job runs, even if only with some of its pods.
    bool runs_at_all() const { return !job_.is_suspended() || job_.runs_in_part(); }
    /// Returns true if an operator creates the pods of the job: its status may leave out pods that
    /// run. The status of a batch Job or of a pod is complete.
    bool is_of_operator() const;
    /// Returns true while pods run that the Workload counts, whether or not the job was stopped. If
    /// so, the job is reconciled again in time.
    bool has_active_pods(const api::Workload& workload);
    /// Removes the Workloads that do not describe the job, or updates one of them so that it does.
    Next replace_unlike(const std::vector<WorkloadPointer>& others);
    Next update_to_job(const api::Workload& workload);
    /// Ends one of the slices that are replaced or out of sync.
    Next end_slices(const LiveSlices& slices);
    Next end_slice(const api::Workload& slice, std::string_view reason, std::string_view message);
    Next copy_pod_counts(const api::Workload& slice, const std::vector<api::PodSet>& wanted);
    Next copy_priority_class(const api::Workload& workload);
    Next stop_without_workload();
    /// Creates a larger slice, while the job runs on the slice that it is to replace.
    Next make_larger_slice();
    /// Frees the name for a new Workload. If another object's Workload has the name, warns and
    /// tries again later.
    Next settle_name(const std::string& name);
    /// Creates the Workload if its name is free.
    Next create(const api::Workload& workload);
    /// Finishes a prebuilt Workload that does not describe the job (any more), after the job's
    /// stop.
    Next finish_out_of_sync();
    bool is_for_group(const api::Workload& workload) const;
    /// Handles a prebuilt Workload that does not exist or belongs to another job: stops the job.
    Next wait_for_prebuilt(std::string_view name);
    Outcome remove_workload(const api::Workload& workload);
    Next drop_finalizer(const api::Workload& workload);
    /// Returns nullopt if the job has stopped.
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
    /// Deletes a job that Kueue deactivated, after the retention time.
    Next delete_deactivated(const api::Condition& evicted);
    void record_checks();
    Next write(Write write) const;
    /// Returns an outcome with the writes; nullopt if the list is empty.
    Next write_all(std::vector<Write> writes) const;
    /// Adds the event to the first write, or for pods to each write that is about a pod.
    void add_event(Outcome& outcome, std::string_view reason, std::string_view note) const;
    EventNote event(std::string_view reason, std::string_view note) const;
    EventNote finished_event(const api::Workload& workload) const;
    Outcome completed(Outcome outcome);

    const Stores& stores_;
    const Settings& settings_;
    const JobKinds& kinds_;
    const JobKind& kind_;
    const GenericJob& job_;
    const PodJob* pods_;  ///< the job if it consists of pods, else nullptr
    Time now_;
    std::vector<WorkloadPointer> own_;      ///< Workloads that the job controls
    std::vector<WorkloadPointer> foreign_;  ///< name the job as owner, but hold another job's quota
    WorkloadPointer workload_;              ///< the Workload that describes the job
    bool is_prebuilt_ = false;              ///< the Workload is prebuilt, and is not replaced
    WorkloadPointer replaced_;              ///< the slice that a new slice is to replace
    WorkloadPointer kept_;  ///< the slice on whose quota the job runs, while another waits
    std::vector<EventNote> events_;
    std::optional<Time> look_again_;            ///< when to reconcile again, whatever happens
    std::optional<JobProblem> unknown_parent_;  ///< why it is unknown whether a job above counts it
    std::optional<std::string> try_later_;      ///< why no larger slice could be created
};

/// Returns the merge patch that makes the job the controller of the Workload and keeps all other
/// owners.
json::Value adoption_patch(
    const api::Workload& workload, const JobKind& kind, const api::ObjectMeta& job
);

/// Returns a merge patch of a Workload that is refused if the Workload has changed.
Write workload_patch(const api::Workload& workload, json::Value patch);

}  // namespace sluice::controller
