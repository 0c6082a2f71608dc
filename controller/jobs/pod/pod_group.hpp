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

/// All pods of a group, which are one job: they are admitted together as the Workload with the
/// group's name. A pod that failed may be replaced by another one with the same role. What is said
/// of the whole group, one pod of it says, the first.
class PodGroup final : public GenericJob, public PodJob {
  public:
    /// Requires: there is a pod. Cost: linear but for sorting.
    PodGroup(
        Pods pods, std::string group, const Stores& stores, const Settings& settings, Time now
    );

    const api::ObjectMeta& metadata() const override { return first_->metadata; }
    Result<std::vector<api::PodSet>> pod_sets() const override;
    bool is_left_alone() const override;
    /// Some pod is held back or has ended.
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
    /// Errors: Invalid with what Kueue says of the annotation.
    Result<std::int32_t> total_count() const;
    /// Returns true if all of it was deleted and nothing of it is of use, by its user or, if no
    /// pod could run in its place, by us.
    bool is_abandoned() const;
    /// Returns true if replacements of its pods could not run, or not even be created: the
    /// Workload is deactivated, its LocalQueue is not there, or the namespace is being deleted.
    bool is_without_future() const;
    /// Returns true if the finalizer of the pod, which is deleted and over, keeps a place that
    /// only a pod created after its removal can take.
    bool blocks_its_successor(const api::Pod& pod) const;
    /// The pods that are over and that no replacement will be created beside.
    Pods find_blocking() const;
    bool is_prebuilt() const;
    /// Returns true if the reconciler of the serving object will write its role back.
    bool is_misnamed(const std::shared_ptr<const api::Pod>& pod) const;
    RoleCounts count_taken(const std::map<std::string_view, const PodSetInfo*>& roles) const;
    std::optional<JobProblem> find_hidden_size() const;
    std::optional<JobProblem> find_contradiction() const;
    /// What its new Workload counts, with those that are too many left out.
    Pods find_members(Pods* excess) const;
    std::optional<Write> own_workload(const api::Workload& workload) const;
    Outcome refuse_foreign_workload(const JobKind& kind) const;

    Pods pods_;  ///< all, by name
    std::string group_;
    const Settings& settings_;
    Time now_;
    std::shared_ptr<const api::Pod> first_;
    bool is_namespace_ending_ = false;
    WorkloadPointer workload_;         ///< the one with its name; may be another object's
    bool has_queue_ = false;           ///< the LocalQueue that it waits in is there
    bool is_foreign_ = false;          ///< it is
    std::optional<PodPlaces> places_;  ///< in its Workload; none: the Workload is not like it
    Pods oversized_;                   ///< those that are larger than a prebuilt Workload counts
    Pods bypassing_;                   ///< those that run though the Workload does not count them
    Pods misnamed_;                    ///< of a serving object, with a role that it did not give
    Pods list_;                        ///< those that count
};

/// The same text as an error of Kueue's webhook, where the pod does not say how many pods its group
/// has. Requires: it is one of a group.
Result<std::int32_t> group_total_count(const api::ObjectMeta& pod);

}  // namespace sluice::controller
