#pragma once

#include "controller/jobs/described/described_admission.hpp"

namespace sluice::controller {

/// The webhooks of RayCluster, RayJob and RayService: what of them Kueue cannot manage is refused
/// where a queue is named.
class RayAdmission final : public DescribedAdmission {
  public:
    using DescribedAdmission::DescribedAdmission;

    /// Not of a RayJob: its RayCluster, which KubeRay makes, gets them.
    void gate_pods(json::Value& object) const override;
    bool is_gated_below_managed() const override;
    bool is_judged_on_update(
        const GenericJob& before, const GenericJob& after, const AdmissionContext& context
    ) const override;
    FirstRules validate_first(const GenericJob& job, const AdmissionContext& context)
        const override;

  protected:
    TopologyStyle topology_style() const override;
};

}  // namespace sluice::controller
