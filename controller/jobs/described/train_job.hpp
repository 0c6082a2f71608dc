// TrainJob as a kind of jobs, with the JobSet that Trainer creates.
#pragma once

#include "controller/jobs/described/described_job.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// A TrainJob. Its pods are those of the JobSet that Trainer creates from the job and its runtime.
/// A start injects into Kueue's entry of spec.runtimePatches. Trainer does not accept a change of
/// this entry while pods run, so a stop suspends first, and restores after the pods have ended.
class TrainJob final : public DescribedJob {
  public:
    /// Lifetime: settings and stores must outlive the job.
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
    /// Returns true while the job runs, because Trainer does not change running jobs, and if the
    /// job cannot be derived, for example because its runtime is gone. Returns nullopt otherwise.
    std::optional<bool> is_described_by(const api::Workload& workload) const override;
    StopStep next_stop_step(const api::Workload* workload) const override;

    bool starts_in_order() const override;
    /// Returns nothing if the JobSet may restart. How often it has restarted is not known here.
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
    /// Returns true if spec.suspend is set, whether or not a stop is unfinished.
    bool is_held() const { return DescribedJob::is_suspended(); }

    const Stores& stores_;
};

/// Returns Kueue's entry in spec.runtimePatches of the object; adds it if it is missing.
json::Value& make_own_patch(json::Value& train_job);

}  // namespace sluice::controller
