// A batch/v1 Job as a GenericJob: pod sets, progress, start and stop.
#pragma once

#include "api/core/job.hpp"
#include "controller/jobs/job/generic_job.hpp"

#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>

namespace sluice::controller {

/// A batch/v1 Job as the generic reconciler sees it.
class BatchJob final : public GenericJob {
  public:
    BatchJob(std::shared_ptr<const api::Job> job, const Settings& settings)
        : job_(std::move(job)), settings_(settings) {}

    const api::ObjectMeta& metadata() const override { return job_->metadata; }
    Result<std::vector<api::PodSet>> pod_sets() const override;
    std::optional<Error> find_problem() const override;
    /// Returns true if the Job is suspended and no stop of ours is unfinished.
    bool is_suspended() const override;
    bool is_stop_unfinished() const override;
    /// Pods that are being deleted run until their grace period ends; the Job controller counts
    /// them as terminating.
    bool is_active() const override {
        return job_->status.active != 0 || job_->status.terminating.value_or(0) != 0;
    }
    bool are_pods_ready() const override;
    std::optional<JobEnd> find_end() const override;
    bool is_stop_undone() const override;
    bool is_resuming() const override;
    std::optional<Time> resumed_at() const override;
    std::vector<api::ReclaimablePod> reclaimable_pods(const api::Workload& workload) const override;
    bool makes_pods_of(std::string_view /*pod_set*/) const override { return true; }
    bool may_have_slices() const override { return true; }
    /// Unsuspends the Job, with the injected template and the admitted number of pods.
    Result<std::vector<Write>> start(const std::vector<PodSetInfo>& injected) const override;
    std::vector<api::StringMap> node_selectors() const override {
        return {job_->spec.template_.spec.node_selector};
    }
    /// Makes up to three writes, one after another: suspend with the mark `stopping`; remove the
    /// start time so that the template may change; restore the template and remove the mark. The
    /// API server accepts the last write only if no pod is active.
    StopStep next_stop_step(const api::Workload* workload) const override;

    /// Returns the object.
    const api::Job& job() const { return *job_; }
    /// Returns how many pods the Job runs at a time: the smaller of parallelism and completions.
    std::int32_t pod_count() const;

  private:
    bool is_marked_as_stopping() const;
    /// Returns the number of pods below which the Job cannot be admitted partially; nullopt without
    /// partial admission. Errors: Invalid with the name of the annotation.
    Result<std::optional<std::int32_t>> min_pod_count() const;
    bool is_partially_admissible() const;
    bool wants_equal_completions() const;
    /// Returns a patch that restores template and counts, and removes the mark.
    json::Value restore_patch(const api::Workload* workload) const;

    std::shared_ptr<const api::Job> job_;
    const Settings& settings_;
};

/// Returns how many indexes below `limit` are in the lists of indexes and ranges, which are in the
/// format of the Job controller. Unreadable entries do not count; a repeated index counts once.
/// Example: "1,3-5" has 4 below 10.
std::int32_t count_indexes(std::initializer_list<std::string_view> lists, std::int32_t limit);

}  // namespace sluice::controller
