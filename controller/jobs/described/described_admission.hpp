#pragma once

#include "controller/jobs/described/described_job.hpp"
#include "controller/jobs/job_admission.hpp"

#include <functional>
#include <memory>

namespace sluice::controller {

/// Makes the view of one object of a kind.
using MakeDescribedJob = std::function<std::unique_ptr<DescribedJob>(
    std::shared_ptr<const api::DynamicObject> object, const Settings& settings
)>;

/// The webhooks of a described kind: topology annotations of each pod template, fields that may
/// not change while the job runs, and what a kind adds.
class DescribedAdmission : public JobAdmission {
  public:
    DescribedAdmission(
        std::shared_ptr<const job_kinds::Description> description, MakeDescribedJob make
    );

    Result<std::unique_ptr<GenericJob>> read(std::string_view json, const Settings& settings)
        const override;
    void suspend(json::Value& object) const override;
    void gate_pods(json::Value& object) const override;
    bool may_be_prebuilt() const override { return description_->may_be_prebuilt; }
    validation::FieldErrors validate(const GenericJob& job, const config::FeatureGates& gates)
        const override;
    validation::FieldErrors validate_update(
        const GenericJob& before, const GenericJob& after, const config::FeatureGates& gates
    ) const override;

  protected:
    const job_kinds::Description& description() const { return *description_; }

  private:
    std::shared_ptr<const job_kinds::Description> description_;
    MakeDescribedJob make_;
};

/// The job that DescribedAdmission::read() made.
const DescribedJob& described(const GenericJob& job);

}  // namespace sluice::controller
