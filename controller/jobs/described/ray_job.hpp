#pragma once

#include "controller/jobs/described/described_job.hpp"

#include <string>
#include <string_view>

namespace sluice::controller {

/// RayCluster, RayJob or RayService, with the containers that KubeRay adds to what the object says:
/// the autoscaler, the submitter of a job, and the requests of the job that cleans up Redis.
class RayJob final : public DescribedJob {
  public:
    using DescribedJob::DescribedJob;

    /// The RayClusterSpec; nullptr: there is none.
    const json::Value* cluster_spec() const;
    /// Returns true for a fault-tolerant object that KubeRay still holds: a Job below it cleans up
    /// Redis meanwhile, and needs the quota of the head.
    bool ends_when_gone() const override;
    std::string place_of(const job_kinds::DescribedPodSet& pod_set) const override;

  protected:
    /// A RayJob that is submitted by a Job gets that Job's template, so that it can be injected
    /// into.
    std::optional<json::Value> complete() const override;
    void amend(std::string_view pod_set, json::Value& pod_template) const override;

  private:
    /// The head's state is in Redis.
    bool is_fault_tolerant() const;
};

/// Where refusals say that objects of the kind have their RayClusterSpec, as Kueue's do.
std::string_view ray_cluster_spec_path(std::string_view kind);

}  // namespace sluice::controller
