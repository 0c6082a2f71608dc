#pragma once

#include "controller/jobs/described/described_admission.hpp"
#include "controller/jobs/described/described_job.hpp"

#include <string>

namespace sluice::controller {

/// AppWrapper: its pods are those of the objects that it wraps. What a start injects stands beside
/// these, and its own controller merges it into them.
class AppWrapper final : public DescribedJob {
  public:
    using DescribedJob::DescribedJob;

  protected:
    std::optional<Result<json::Value>> derive() const override;
    RankLabels rank_labels(const job_kinds::DescribedPodSet& pod_set) const override;
    Result<void> inject(
        json::Value& object,
        const std::vector<job_kinds::DescribedPodSet>& pod_sets,
        const std::vector<PodSetInfo>& injected
    ) const override;
    void restore(
        json::Value& object,
        const std::vector<job_kinds::DescribedPodSet>& pod_sets,
        const api::Workload& workload
    ) const override;
};

/// The webhooks of AppWrapper: rules of new jobs are for new jobs only, and the topology is not
/// looked at.
class AppWrapperAdmission final : public DescribedAdmission {
  public:
    using DescribedAdmission::DescribedAdmission;

    UpdateRules update_rules() const override { return UpdateRules::ChangesAlone; }
    std::string find_sole_refusal(const GenericJob&, const config::FeatureGates&) const override {
        return {};
    }
};

}  // namespace sluice::controller
