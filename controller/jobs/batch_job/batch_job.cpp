#include "controller/jobs/batch_job/batch_job.hpp"

#include "api/meta/codec.hpp"
#include "controller/jobs/batch_job/admission.hpp"
#include "controller/jobs/members/batch_job_view.hpp"

namespace sluice::controller {

namespace {

class BatchJobKind final : public JobKind {
  public:
    Kind kind() const override { return kind_of<api::Job>(); }
    std::string_view integration() const override { return "batch/job"; }
    const KindAdmission* admission() const override { return admission_.get(); }
    Result<std::unique_ptr<GenericJob>> read(
        const Stores& /*stores*/, const Settings& settings, std::string_view json
    ) const override {
        auto job = api::decode<api::Job>(json);
        if (!job) {
            return job.error();
        }
        return std::make_unique<BatchJob>(
            std::make_shared<const api::Job>(std::move(*job)), settings
        );
    }
    std::unique_ptr<GenericJob> find(
        const Stores& stores, const Settings& settings, const kube::NamespacedName& name
    ) const override {
        auto job = stores.of<api::Job>().find(name);
        if (!job || job->metadata.deletion_timestamp) {
            return nullptr;
        }
        return std::make_unique<BatchJob>(std::move(job), settings);
    }

  private:
    std::unique_ptr<const KindAdmission> admission_ = make_batch_job_admission(*this);
};

}  // namespace

std::shared_ptr<const JobKind> make_batch_job_kind() {
    return std::make_shared<const BatchJobKind>();
}

}  // namespace sluice::controller
