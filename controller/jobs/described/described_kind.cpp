#include "controller/jobs/described/described_kind.hpp"

#include "api/meta/codec.hpp"
#include "controller/jobs/described/app_wrapper.hpp"
#include "controller/jobs/described/described_admission.hpp"
#include "controller/jobs/described/job_set.hpp"
#include "controller/jobs/described/mpi_admission.hpp"
#include "controller/jobs/described/ray_admission.hpp"
#include "controller/jobs/described/ray_job.hpp"
#include "controller/jobs/described/spark_admission.hpp"
#include "controller/jobs/described/spark_application.hpp"
#include "controller/jobs/described/train_admission.hpp"
#include "controller/jobs/described/train_job.hpp"

#include <string_view>
#include <type_traits>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::string_view kRayClusters = "ray.io/raycluster";

/// Factories for the parts of a kind: the view of an object, and the webhooks.
struct Parts {
    job_kinds::PodSetSource pod_sets = job_kinds::PodSetSource::Object;
    std::unique_ptr<DescribedJob> (*make_job)(
        Kind kind,
        std::shared_ptr<const job_kinds::Description> description,
        std::shared_ptr<const api::DynamicObject> object,
        const Settings& settings,
        const Stores& stores
    );
    std::unique_ptr<const KindAdmission> (*make_admission)(
        const JobKind& kind, std::shared_ptr<const job_kinds::Description> description
    );
};

template <
    class Job,
    class Admission,
    job_kinds::PodSetSource PodSets = job_kinds::PodSetSource::Object>
constexpr Parts kPartsOf = {
    PodSets,
    [](Kind kind,
       std::shared_ptr<const job_kinds::Description> description,
       std::shared_ptr<const api::DynamicObject> object,
       const Settings& settings,
       [[maybe_unused]] const Stores& stores) -> std::unique_ptr<DescribedJob> {
        if constexpr (std::is_same_v<Job, TrainJob>) {
            return std::make_unique<Job>(
                kind, std::move(description), std::move(object), settings, stores
            );
        } else {
            return std::make_unique<Job>(kind, std::move(description), std::move(object), settings);
        }
    },
    [](const JobKind& kind, std::shared_ptr<const job_kinds::Description> description
    ) -> std::unique_ptr<const KindAdmission> {
        return std::make_unique<const Admission>(kind, std::move(description));
    },
};

/// Returns the code for frameworks that need more than their description.
Parts parts_of(std::string_view framework) {
    if (framework == kRayClusters || framework == "ray.io/rayjob" ||
        framework == "ray.io/rayservice") {
        return kPartsOf<RayJob, RayAdmission>;
    }
    if (framework == "kubeflow.org/mpijob") {
        return kPartsOf<DescribedJob, MpiAdmission>;
    }
    if (framework.starts_with("kubeflow.org/")) {
        return kPartsOf<DescribedJob, KubeflowAdmission>;
    }
    if (framework == "jobset.x-k8s.io/jobset") {
        return kPartsOf<JobSet, JobSetAdmission>;
    }
    if (framework == "workload.codeflare.dev/appwrapper") {
        return kPartsOf<AppWrapper, AppWrapperAdmission, job_kinds::PodSetSource::Derived>;
    }
    if (framework == "sparkoperator.k8s.io/sparkapplication") {
        return kPartsOf<SparkApplication, SparkAdmission, job_kinds::PodSetSource::Derived>;
    }
    if (framework == "trainer.kubeflow.org/trainjob") {
        return kPartsOf<TrainJob, TrainAdmission, job_kinds::PodSetSource::Derived>;
    }
    return kPartsOf<DescribedJob, DescribedAdmission>;
}

class DescribedKind final : public JobKind {
  public:
    DescribedKind(
        std::shared_ptr<const job_kinds::Description> description,
        std::shared_ptr<const kube::RunTimeKind> names,
        bool is_by_user
    )
        : description_(std::move(description)),
          names_(std::move(names)),
          is_by_user_(is_by_user),
          parts_(parts_of(description_->framework)),
          admission_(parts_.make_admission(*this, description_)) {}

    Kind kind() const override { return names_->kind(); }
    std::string_view integration() const override { return description_->framework; }
    bool is_described_by_user() const override { return is_by_user_; }
    bool counts_pods_of_pods() const override { return description_->counts_pods_of_pods; }
    bool is_gated_below_managed() const override { return description_->framework == kRayClusters; }
    const KindAdmission* admission() const override { return admission_.get(); }
    Result<std::unique_ptr<GenericJob>> read(
        const Stores& stores, const Settings& settings, std::string_view json
    ) const override {
        auto object = api::decode<api::DynamicObject>(json);
        if (!object) {
            return object.error();
        }
        return parts_.make_job(
            kind(),
            description_,
            std::make_shared<const api::DynamicObject>(std::move(*object)),
            settings,
            stores
        );
    }
    std::unique_ptr<GenericJob> find(
        const Stores& stores, const Settings& settings, const kube::NamespacedName& name
    ) const override {
        auto object = stores.find_dynamic(kind())->find(name);
        if (!object) {
            return nullptr;
        }
        const bool is_deleting = object->metadata.deletion_timestamp.has_value();
        auto job = parts_.make_job(kind(), description_, std::move(object), settings, stores);
        return is_deleting && !job->ends_when_gone() ? nullptr : std::move(job);
    }

  private:
    std::shared_ptr<const job_kinds::Description> description_;
    std::shared_ptr<const kube::RunTimeKind> names_;
    bool is_by_user_;
    Parts parts_;
    std::unique_ptr<const KindAdmission> admission_;
};

}  // namespace

job_kinds::PodSetSource pod_set_source(const job_kinds::Description& description) {
    return parts_of(description.framework).pod_sets;
}

std::shared_ptr<const kube::RunTimeKind> names_of(const job_kinds::Description& description) {
    return std::make_shared<const kube::RunTimeKind>(kube::RunTimeKind::Names{
        .group = description.group,
        .version = description.version,
        .kind = description.kind,
        .resource = description.resource,
    });
}

std::shared_ptr<const JobKind> make_described_kind(
    std::shared_ptr<const job_kinds::Description> description,
    std::shared_ptr<const kube::RunTimeKind> names,
    bool is_by_user
) {
    return std::make_shared<const DescribedKind>(
        std::move(description), std::move(names), is_by_user
    );
}

}  // namespace sluice::controller
