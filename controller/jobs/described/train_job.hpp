#pragma once

#include "controller/jobs/described/described_job.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// TrainJob: its pods are those of the JobSet that Trainer makes of it and of the runtime that it
/// refers to. What a start injects stands in Kueue's entry of spec.runtimePatches. Trainer takes no
/// change of that while pods run, so a stop suspends first and restores when they have ended.
class TrainJob final : public DescribedJob {
  public:
    /// Lifetime: settings and stores must outlive it.
    TrainJob(
        Kind kind,
        std::shared_ptr<const job_kinds::Description> description,
        std::shared_ptr<const api::DynamicObject> object,
        const Settings& settings,
        const Stores& stores
    );

    std::string place_of(const job_kinds::DescribedPodSet& pod_set) const override;
    bool is_suspended() const override;
    bool is_stop_unfinished() const override;
    /// Trainer does not change what runs, and a runtime that is gone says nothing.
    std::optional<bool> is_described_by(const api::Workload& workload) const override;
    StopStep next_stop_step(const api::Workload* workload) const override;

    bool starts_in_order() const override;
    /// None where its JobSet may restart; how often that did is not known here.
    std::vector<api::ReclaimablePod> reclaimable_pods(const api::Workload& workload) const override;

  protected:
    std::optional<Result<json::Value>> derive() const override;
    void keep_released(json::Value& document) const override;
    Result<void> inject(
        json::Value& object,
        const std::vector<job_kinds::DescribedPodSet>& pod_sets,
        const std::vector<PodSetInfo>& injected
    ) const override;

  private:
    /// spec.suspend alone.
    bool is_held() const { return DescribedJob::is_suspended(); }

    const Stores& stores_;
};

/// Kueue's entry in spec.runtimePatches of the object, which is added where there is none.
json::Value& make_own_patch(json::Value& train_job);

}  // namespace sluice::controller
