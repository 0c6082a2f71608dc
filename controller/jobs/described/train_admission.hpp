// The webhooks of TrainJob.
#pragma once

#include "controller/jobs/described/described_admission.hpp"

namespace sluice::controller {

/// The webhooks of TrainJob: add Kueue's entry to spec.runtimePatches, and refuse a job whose
/// runtime does not exist. A job whose runtime is not known yet is accepted and waits.
class TrainAdmission final : public DescribedAdmission {
  public:
    using DescribedAdmission::DescribedAdmission;

  protected:
    void add_defaults(json::Value& object, const config::FeatureGates& gates) const override;
    TopologyStyle topology_style() const override {
        return {
            .unreadable = TopologyStyle::Unreadable::Nothing,
            .below_place = "",
            .is_reported_without_pods = true,
            .advice =
                ". Adjust either the \"TrainJob.spec.runtimePatches\" or the "
                "\"TrainingRuntime.Template\" annotations for the corresponding Job"
        };
    }
};

}  // namespace sluice::controller
