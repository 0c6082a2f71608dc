#include "controller/jobs/train_job/train_admission.hpp"

#include "controller/jobs/train_job/train_job.hpp"
#include "controller/jobs/train_job/training_runtime.hpp"

#include <fmt/format.h>

namespace sluice::controller {

Result<std::unique_ptr<GenericJob>> TrainAdmission::read(
    std::string_view json, const AdmissionContext& context
) const {
    auto job = DescribedAdmission::read(json, context);
    if (!job) {
        return job;
    }
    const auto runtime = runtime_of(described(**job).value(), (*job)->metadata().namespace_);
    if (!runtime) {
        return job;
    }
    const kube::AnyStore* store = context.stores.find(runtime->kind);
    if (store != nullptr && !store->has_synced()) {
        return Error{
            ErrorCode::Unavailable,
            fmt::format("{} are not known yet", to_string(runtime->kind)),
            {}
        };
    }
    return job;
}

void TrainAdmission::add_defaults(
    json::Value& object, const config::FeatureGates& /*gates*/
) const {
    make_own_patch(object);
}

}  // namespace sluice::controller
