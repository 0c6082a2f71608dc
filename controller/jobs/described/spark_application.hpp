#pragma once

#include "controller/jobs/described/described_job.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// SparkApplication: its roles say in fields of their own what the Spark operator makes pods of,
/// and a start injects into these fields.
class SparkApplication final : public DescribedJob {
  public:
    using DescribedJob::DescribedJob;

    std::string place_of(const job_kinds::DescribedPodSet& pod_set) const override;

  protected:
    std::optional<Result<json::Value>> derive() const override;
    /// The operator takes no node labels of the whole application where a role has some: they move
    /// to the roles.
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

}  // namespace sluice::controller
