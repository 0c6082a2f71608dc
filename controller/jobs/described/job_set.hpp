#pragma once

#include "controller/jobs/described/described_admission.hpp"
#include "controller/jobs/described/described_job.hpp"

#include <vector>

namespace sluice::controller {

/// JobSet: its replicated Jobs may start one after another.
class JobSet final : public DescribedJob {
  public:
    using DescribedJob::DescribedJob;

    bool starts_in_order() const override;
    /// None while a restart may need them again.
    std::vector<api::ReclaimablePod> reclaimable_pods(const api::Workload& workload) const override;

  protected:
    void keep_released(json::Value& document) const override;
};

/// The webhooks of JobSet: a topology request that cannot be made is not looked at further.
class JobSetAdmission final : public DescribedAdmission {
  public:
    using DescribedAdmission::DescribedAdmission;

  protected:
    TopologyStyle topology_style() const override {
        return {.unreadable = TopologyStyle::Unreadable::Nothing};
    }
};

}  // namespace sluice::controller
