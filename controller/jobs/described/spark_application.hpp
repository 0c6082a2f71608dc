// SparkApplication as a kind of jobs, with the pods that the Spark operator creates.
#pragma once

#include "controller/jobs/described/described_job.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// A SparkApplication. Its roles have fields from which the Spark operator creates pods; a start
/// injects into these fields.
class SparkApplication final : public DescribedJob {
  public:
    using DescribedJob::DescribedJob;

    std::string place_of(const job_kinds::DescribedPodSet& pod_set) const override;

  protected:
    std::optional<Result<json::Value>> derive() const override;
    /// Moves the node labels of the whole application to its roles, because the operator ignores
    /// them for a role that has its own.
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
