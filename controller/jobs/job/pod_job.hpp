// The part of a job that only pods and pod groups have.
#pragma once

#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/job_problem.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/settings.hpp"

#include <memory>
#include <optional>
#include <vector>

/// Jobs that consist of pods.
namespace sluice::controller {

/// A single pod or a pod group: the part of a GenericJob that other jobs do not have. Such a job is
/// never part of another job, and events are recorded on each of its pods.
class PodJob {
  public:
    using WorkloadPointer = std::shared_ptr<const api::Workload>;

    PodJob() = default;
    PodJob(const PodJob&) = delete;
    PodJob& operator=(const PodJob&) = delete;
    virtual ~PodJob() = default;

    /// Returns true for a pod group. Its writes are independent of each other. A single pod cannot
    /// be started again after a stop.
    virtual bool is_group() const = 0;
    /// Returns the end of the time in which a pod that GenericJob::is_active() counts may be
    /// active; nullopt if only a change ends it.
    virtual std::optional<Time> active_until() const = 0;
    /// Returns the next step of suspending the job, as GenericJob::next_stop_step(). The cause is
    /// written into the pods' status.
    virtual StopStep next_stop_step_for(const StopCause& cause, const api::Workload* workload)
        const = 0;
    /// Returns the writes that remove the finalizers of the job's pods after the job has ended.
    virtual std::vector<Write> release() const = 0;
    /// Returns the writes that remove these finalizers if the job is not managed, or if no Workload
    /// can be found for it.
    virtual std::vector<Write> release_deleted() const = 0;

    // The functions below are for groups only.
    /// Returns the time at which settle_members() is due even if nothing changes; nullopt if only a
    /// change makes it due.
    virtual std::optional<Time> look_again_at() const { return std::nullopt; }
    /// Returns true if the Workload follows changes of the job's queue name.
    virtual bool may_change_queue() const { return true; }
    /// Returns the Workloads that may describe the job; nullopt for the Workloads that it controls.
    virtual std::optional<std::vector<WorkloadPointer>> find_workloads() const {
        return std::nullopt;
    }
    /// Settles pods that do not belong to the group (any more), before all other steps. Returns
    /// nullopt if there is nothing to do. A problem ends the reconcile with or without writes.
    virtual std::optional<Outcome> settle_members(const JobKind& /*kind*/) const {
        return std::nullopt;
    }
    /// Settles such pods again before the group gets a Workload.
    virtual std::optional<Outcome> settle_before_workload(const JobKind& /*kind*/) const {
        return std::nullopt;
    }
    /// Returns why the group can have no Workload at present; nullopt if it can have one.
    virtual std::optional<JobProblem> find_obstacle() const { return std::nullopt; }
    /// Changes the metadata of a new Workload for a group. `workload`: metadata as for a job of one
    /// object.
    virtual JobResult<void> own_metadata(
        api::ObjectMeta& /*workload*/, const Settings& /*settings*/
    ) const {
        return {};
    }
    /// Returns a write that makes the group an owner of a prebuilt Workload; nullopt if it is one.
    virtual std::optional<Write> own_prebuilt(const api::Workload& /*workload*/) const {
        return std::nullopt;
    }
    /// Returns a write of the Workload's condition that only groups have; nullopt if it is up to
    /// date.
    virtual std::optional<Write> own_condition(const api::Workload& /*workload*/) const {
        return std::nullopt;
    }
};

/// Returns the next step of suspending the job: next_stop_step_for() with the cause if the job
/// consists of pods, else GenericJob::next_stop_step().
StopStep next_stop_step(
    const GenericJob& job, const StopCause& cause, const api::Workload* workload
);

}  // namespace sluice::controller
