#pragma once

#include "controller/jobs/described/described_admission.hpp"

namespace sluice::controller {

/// The webhooks of MPIJob: where the launcher is a worker too, it is the first one by rank.
class MpiAdmission final : public DescribedAdmission {
  public:
    using DescribedAdmission::DescribedAdmission;

    void add_defaults(json::Value& object, const config::FeatureGates& gates) const override;
    /// By their fields.
    void sort(api::FieldErrors& errors) const override;

  protected:
    TopologyStyle topology_style() const override {
        return {.unreadable = TopologyStyle::Unreadable::Nothing};
    }
};

}  // namespace sluice::controller
