#pragma once

#include "controller/jobs/described/described_admission.hpp"

namespace sluice::controller {

/// The webhooks of TrainJob: each gets Kueue's entry in spec.runtimePatches, and one whose runtime
/// is not there is refused.
class TrainAdmission final : public DescribedAdmission {
  public:
    using DescribedAdmission::DescribedAdmission;

    /// Errors: Unavailable while the runtimes are not known.
    Result<std::unique_ptr<GenericJob>> read(std::string_view json, const AdmissionContext& context)
        const override;
    void add_defaults(json::Value& object, const config::FeatureGates& gates) const override;

  protected:
    TopologyStyle topology_style() const override {
        return {
            .unreadable = TopologyStyle::Unreadable::Nothing,
            .below_place = "",
            .is_told_without_pods = true,
            .advice =
                ". Adjust either the \"TrainJob.spec.runtimePatches\" or the "
                "\"TrainingRuntime.Template\" annotations for the corresponding Job"
        };
    }
};

}  // namespace sluice::controller
