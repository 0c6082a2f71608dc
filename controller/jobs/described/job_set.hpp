// JobSet as a kind of jobs, with its startup order.
#pragma once

#include "controller/jobs/described/described_admission.hpp"
#include "controller/jobs/described/described_job.hpp"

#include <vector>

namespace sluice::controller {

/// A JobSet, whose replicated Jobs may start one after another.
class JobSet final : public DescribedJob {
  public:
    using DescribedJob::DescribedJob;

    bool starts_in_order() const override;
    /// Returns nothing while a restart may need the pods again.
    std::vector<api::ReclaimablePod> reclaimable_pods(const api::Workload& workload) const override;

  protected:
    void keep_released(json::Value& document) const override;
};

/// The webhooks of JobSet: if a topology request cannot be read, no other topology errors are
/// reported.
class JobSetAdmission final : public DescribedAdmission {
  public:
    using DescribedAdmission::DescribedAdmission;

  protected:
    TopologyStyle topology_style() const override {
        return {.unreadable = TopologyStyle::Unreadable::Nothing};
    }
};

}  // namespace sluice::controller
