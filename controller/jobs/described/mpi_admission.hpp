// The webhooks of MPIJob.
#pragma once

#include "controller/jobs/described/described_admission.hpp"

namespace sluice::controller {

/// The webhooks of MPIJob: if the launcher is also a worker, it gets the first rank.
class MpiAdmission final : public DescribedAdmission {
  public:
    using DescribedAdmission::DescribedAdmission;

  protected:
    void add_defaults(json::Value& object, const config::FeatureGates& gates) const override;
    /// Sorts the errors by their fields.
    void sort(api::FieldErrors& errors) const override;
    TopologyStyle topology_style() const override {
        return {.unreadable = TopologyStyle::Unreadable::Nothing};
    }
};

}  // namespace sluice::controller
