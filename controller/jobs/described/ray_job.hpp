// RayCluster, RayJob and RayService as kinds of jobs, with the containers that KubeRay adds.
#pragma once

#include "controller/jobs/described/described_job.hpp"

#include <string>
#include <string_view>

namespace sluice::controller {

/// A RayCluster, RayJob or RayService, with the containers that KubeRay adds to its pods: the
/// autoscaler, and the submitter of a job; and with the requests of the Job that cleans up Redis.
class RayJob final : public DescribedJob {
  public:
    using DescribedJob::DescribedJob;

    /// Returns the RayClusterSpec; nullptr if the object has none.
    const json::Value* cluster_spec() const;
    /// Returns true for a fault-tolerant object that KubeRay's finalizers keep: a Job below it
    /// cleans up Redis meanwhile, and needs the quota of the head.
    bool ends_when_gone() const override;
    std::string place_of(const job_kinds::DescribedPodSet& pod_set) const override;

  protected:
    /// Adds the template of the Job that submits a RayJob, so that a start can inject into it.
    std::optional<json::Value> complete() const override;
    void amend(std::string_view pod_set, json::Value& pod_template) const override;

  private:
    /// Returns true if the state of the head is in Redis.
    bool is_fault_tolerant() const;
};

/// Returns the path of the RayClusterSpec in objects of the kind, as Kueue's messages have it.
std::string_view ray_cluster_spec_path(std::string_view kind);

}  // namespace sluice::controller
