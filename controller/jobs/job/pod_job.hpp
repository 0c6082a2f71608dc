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

/// Jobs whose objects are pods.
namespace sluice::controller {

/// A pod by itself, or a group of pods: the part of a GenericJob that other jobs have not. It is no
/// part of another job, and events tell of each of its pods.
class PodJob {
  public:
    using WorkloadPointer = std::shared_ptr<const api::Workload>;

    PodJob() = default;
    PodJob(const PodJob&) = delete;
    PodJob& operator=(const PodJob&) = delete;
    virtual ~PodJob() = default;

    /// Returns true if its writes are many and none waits for another. A pod by itself has no life
    /// after a stop.
    virtual bool is_group() const = 0;
    /// Returns the end of the time in which a pod that GenericJob::is_active() counts may be
    /// active. nullopt if only a change ends it.
    virtual std::optional<Time> active_until() const = 0;
    /// Returns the next step of suspending it, as GenericJob::next_stop_step(). Its pods are told
    /// the cause.
    virtual StopStep next_stop_step_for(const StopCause& cause, const api::Workload* workload)
        const = 0;
    /// Takes the finalizers off its pods once it has ended.
    virtual std::vector<Write> release() const = 0;
    /// Takes them off where it is not managed, or no Workload can be found for it.
    virtual std::vector<Write> release_deleted() const = 0;

    // Groups alone have these.
    /// Returns the time at which settle_members() is due even if nothing changes. nullopt if only a
    /// change makes it due.
    virtual std::optional<Time> look_again_at() const { return std::nullopt; }
    /// Returns true if the Workload follows its queue name.
    virtual bool may_change_queue() const { return true; }
    /// Returns the Workloads that may describe it. nullopt for those that it controls.
    virtual std::optional<std::vector<WorkloadPointer>> find_workloads() const {
        return std::nullopt;
    }
    /// Settles pods that have no part in it (any more), before all else. nullopt if there is
    /// nothing to do. A problem ends the reconcile with or without writes.
    virtual std::optional<Outcome> settle_members(const JobKind& /*kind*/) const {
        return std::nullopt;
    }
    /// Settles them once more before it gets a Workload.
    virtual std::optional<Outcome> settle_before_workload(const JobKind& /*kind*/) const {
        return std::nullopt;
    }
    /// Returns why it can have no Workload as it is.
    virtual std::optional<JobProblem> find_obstacle() const { return std::nullopt; }
    /// Makes the metadata of a new Workload its own. `workload`: that for a job of one object.
    virtual JobResult<void> own_metadata(
        api::ObjectMeta& /*workload*/, const Settings& /*settings*/
    ) const {
        return {};
    }
    /// Makes it an owner of a Workload that was made beforehand. nullopt if it is one.
    virtual std::optional<Write> own_prebuilt(const api::Workload& /*workload*/) const {
        return std::nullopt;
    }
    /// Writes the condition of the Workload that groups alone have. nullopt if it is as it must be.
    virtual std::optional<Write> own_condition(const api::Workload& /*workload*/) const {
        return std::nullopt;
    }
};

/// Returns the next step of suspending the job: of pods with the cause, else
/// GenericJob::next_stop_step().
StopStep next_stop_step(
    const GenericJob& job, const StopCause& cause, const api::Workload* workload
);

}  // namespace sluice::controller
