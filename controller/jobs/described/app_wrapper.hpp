// AppWrapper as a kind of jobs: its pods are those of the objects that it wraps.
#pragma once

#include "controller/jobs/described/described_admission.hpp"
#include "controller/jobs/described/described_job.hpp"

#include <string>

namespace sluice::controller {

/// An AppWrapper. Its pods are those of the objects that it wraps. A start injects into
/// `podSetInfos` next to each wrapped object, and the AppWrapper controller merges this into the
/// object.
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

/// The webhooks of AppWrapper: the rules for new jobs are not checked on updates, and topology
/// annotations are not checked.
class AppWrapperAdmission final : public DescribedAdmission {
  public:
    using DescribedAdmission::DescribedAdmission;

  protected:
    UpdateRules update_rules() const override { return UpdateRules::ChangesAlone; }
    std::string find_sole_refusal(const GenericJob&, const config::FeatureGates&) const override {
        return {};
    }
};

}  // namespace sluice::controller
