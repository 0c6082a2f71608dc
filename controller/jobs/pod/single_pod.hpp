#pragma once

#include "api/core/pod.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/pod_job.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::controller {

/// A pod that is a job by itself.
class SinglePod final : public GenericJob, public PodJob {
  public:
    SinglePod(std::shared_ptr<const api::Pod> pod, const Settings& settings, Time now)
        : pod_(std::move(pod)), settings_(settings), now_(now) {}

    const api::ObjectMeta& metadata() const override { return pod_->metadata; }
    Result<std::vector<api::PodSet>> pod_sets() const override;
    bool is_left_alone() const override;
    bool is_suspended() const override;
    /// Runs, though perhaps in the grace period of its deletion.
    bool is_active() const override;
    std::optional<Time> active_until() const override;
    bool are_pods_ready() const override;
    std::optional<JobEnd> find_end() const override;
    Result<std::vector<Write>> start(const std::vector<PodSetInfo>& injected) const override;
    StopStep next_stop_step(const api::Workload* workload) const override;
    StopStep next_stop_step_for(const StopCause& cause, const api::Workload* workload)
        const override;
    const PodJob* as_pods() const override { return this; }
    bool is_group() const override { return false; }
    /// One whose spec is not kept, as it lost its marks, is that which its Workload was made for.
    /// So is one that was resized in place, to no more than that Workload counts.
    std::optional<bool> is_described_by(const api::Workload& workload) const override;
    std::vector<Write> release() const override;
    std::vector<Write> release_deleted() const override;

    const api::Pod& pod() const { return *pod_; }

  private:
    std::shared_ptr<const api::Pod> pod_;
    const Settings& settings_;
    Time now_;
};

}  // namespace sluice::controller
