// A single pod as a job.
#pragma once

#include "api/core/pod.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/pod_job.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::controller {

/// A pod that is a job and not in a group.
class SinglePod final : public GenericJob, public PodJob {
  public:
    SinglePod(std::shared_ptr<const api::Pod> pod, const Settings& settings, Time now)
        : pod_(std::move(pod)), settings_(settings), now_(now) {}

    const api::ObjectMeta& metadata() const override { return pod_->metadata; }
    Result<std::vector<api::PodSet>> pod_sets() const override;
    bool is_left_alone() const override;
    bool is_suspended() const override;
    /// Returns true if the pod runs, even if only until the grace period of its deletion ends.
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
    /// Returns true for the pod that owns the Workload if its spec is not kept because it lost its
    /// label, or if it was resized in place to at most the counted requests.
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
