// The webhooks of RayCluster, RayJob and RayService.
#pragma once

#include "controller/jobs/described/described_admission.hpp"

namespace sluice::controller {

/// The webhooks of RayCluster, RayJob and RayService: they refuse objects with a queue name that
/// Kueue cannot manage.
class RayAdmission final : public DescribedAdmission {
  public:
    using DescribedAdmission::DescribedAdmission;

  protected:
    /// Does nothing for a RayJob: the RayCluster that KubeRay creates for it is gated.
    void gate_pods(json::Value& object) const override;
    bool is_judged_on_update(
        const GenericJob& before, const GenericJob& after, const AdmissionContext& context
    ) const override;
    FirstRules validate_first(const GenericJob& job, const AdmissionContext& context)
        const override;
    TopologyStyle topology_style() const override;
};

}  // namespace sluice::controller
