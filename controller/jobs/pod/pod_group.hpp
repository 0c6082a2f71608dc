// A pod group as a job.
#pragma once

#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/pod_job.hpp"
#include "controller/jobs/pod/pod_group_places.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::controller {

/// All pods of a group, which are one job: they are admitted together with the Workload that has
/// the group's name. Another pod with the same role may replace a failed pod. Settings of the whole
/// group are taken from one pod: see find_first() in pod_group.cpp.
class PodGroup final : public GenericJob, public PodJob {
  public:
    /// Requires: `pods` is not empty. Cost: linear, except for sorting.
    PodGroup(
        Pods pods, std::string group, const Stores& stores, const Settings& settings, Time now
    );

    const api::ObjectMeta& metadata() const override { return first_->metadata; }
    Result<std::vector<api::PodSet>> pod_sets() const override;
    bool is_left_alone() const override;
    /// Returns true if some pod is gated or has ended.
    bool is_suspended() const override;
    bool runs_in_part() const override;
    bool is_active() const override;
    bool are_pods_ready() const override;
    std::optional<JobEnd> find_end() const override;
    std::vector<api::ReclaimablePod> reclaimable_pods(const api::Workload& workload) const override;
    Result<std::vector<Write>> start(const std::vector<PodSetInfo>& injected) const override;
    StopStep next_stop_step(const api::Workload* workload) const override;
    StopStep next_stop_step_for(const StopCause& cause, const api::Workload* workload)
        const override;

    const PodJob* as_pods() const override { return this; }
    bool is_group() const override { return true; }
    std::optional<Time> active_until() const override;
    std::optional<Time> look_again_at() const override;
    bool may_change_queue() const override { return !is_serving(); }
    std::optional<std::vector<WorkloadPointer>> find_workloads() const override;
    std::optional<bool> is_described_by(const api::Workload& workload) const override;
    std::optional<Outcome> settle_members(const JobKind& kind) const override;
    std::optional<Outcome> settle_before_workload(const JobKind& kind) const override;
    std::optional<JobProblem> find_obstacle() const override;
    JobResult<void> own_metadata(api::ObjectMeta& workload, const Settings& settings)
        const override;
    std::optional<Write> own_prebuilt(const api::Workload& workload) const override;
    std::optional<Write> own_condition(const api::Workload& workload) const override;
    std::vector<Write> release() const override;
    std::vector<Write> release_deleted() const override;

  private:
    bool is_serving() const;
    GroupCount count_by() const;
    /// Errors: Invalid with Kueue's message about the annotation.
    Result<std::int32_t> total_count() const;
    /// Returns true if all pods were deleted and none is useful any more: the user deleted them, or
    /// we did and no pod could run in their place.
    bool is_abandoned() const;
    /// Returns true if replacements of the pods could not run or not even be created: the Workload
    /// is deactivated, its LocalQueue does not exist, or the namespace is being deleted.
    bool is_without_future() const;
    /// Returns true if the finalizer of the pod, which is deleted and over, blocks a place that
    /// only a pod created after its removal can take.
    bool blocks_its_successor(const api::Pod& pod) const;
    /// Returns the pods that are over and whose replacement is created only after their removal.
    Pods find_blocking() const;
    bool is_prebuilt() const;
    /// Returns true if the reconciler of the serving object will restore the pod's role.
    bool is_misnamed(const std::shared_ptr<const api::Pod>& pod) const;
    RoleCounts count_taken(const std::map<std::string_view, const PodSetInfo*>& roles) const;
    std::optional<JobProblem> find_hidden_size() const;
    std::optional<JobProblem> find_contradiction() const;
    /// Returns the pods that a new Workload counts. Adds pods above the total count to `excess`,
    /// unless it is nullptr.
    Pods find_members(Pods* excess) const;
    std::optional<Write> own_workload(const api::Workload& workload) const;
    Outcome refuse_foreign_workload(const JobKind& kind) const;

    Pods pods_;  ///< all pods of the group, by name
    std::string group_;
    const Settings& settings_;
    Time now_;
    std::shared_ptr<const api::Pod> first_;
    bool is_namespace_ending_ = false;
    WorkloadPointer workload_;         ///< has the group's name; may belong to another object
    bool has_queue_ = false;           ///< the LocalQueue of the group exists
    bool is_foreign_ = false;          ///< `workload_` belongs to another object
    std::optional<PodPlaces> places_;  ///< places in the Workload, if it describes the group
    Pods oversized_;                   ///< pods larger than a prebuilt Workload counts
    Pods bypassing_;                   ///< pods that run although the Workload does not count them
    Pods misnamed_;                    ///< pods of a serving object with a role that it did not set
    Pods list_;                        ///< the pods that count
};

/// Returns how many pods the group of a pod has. Errors: Invalid with the message of Kueue's
/// webhook, if the pod's annotation is missing or not a count. Requires: the pod is in a group.
Result<std::int32_t> group_total_count(const api::ObjectMeta& pod);

}  // namespace sluice::controller
