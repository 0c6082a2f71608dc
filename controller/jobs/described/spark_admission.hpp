// The webhooks of SparkApplication.
#pragma once

#include "controller/jobs/described/described_admission.hpp"

namespace sluice::controller {

/// The webhooks of SparkApplication: in an application with a queue name, the driver must run in
/// the cluster, and the number of executors must be fixed unless the job is elastic.
class SparkAdmission final : public DescribedAdmission {
  public:
    using DescribedAdmission::DescribedAdmission;

  protected:
    bool is_judged_on_update(
        const GenericJob& before, const GenericJob& after, const AdmissionContext& context
    ) const override;
    FirstRules validate_first(const GenericJob& job, const AdmissionContext& context)
        const override;
    TopologyStyle topology_style() const override {
        return {
            .unreadable = TopologyStyle::Unreadable::Nothing,
            .below_place = "",
            .is_reported_without_pods = true
        };
    }
};

}  // namespace sluice::controller
