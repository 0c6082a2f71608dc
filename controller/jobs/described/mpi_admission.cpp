#include "controller/jobs/described/mpi_admission.hpp"

#include "api/kueue/kueue_names.hpp"

#include <algorithm>

namespace sluice::controller {

void MpiAdmission::add_defaults(json::Value& object, const config::FeatureGates& gates) const {
    const json::Value* is_worker = object.find_path({"spec", "runLauncherAsWorker"});
    const json::Value* launcher = object.find_path({"spec", "mpiReplicaSpecs", "Launcher"});
    const json::Value* worker = object.find_path({"spec", "mpiReplicaSpecs", "Worker"});
    if (!gates.is_enabled(config::Feature::TopologyAwareScheduling) || is_worker == nullptr ||
        *is_worker != json::Value(true) || launcher == nullptr || !launcher->is_object() ||
        worker == nullptr || !worker->is_object()) {
        return;
    }
    // Pod sets in one group are placed together and ranked together.
    const json::Value* group = launcher->find_path(
        {"template", "metadata", "annotations", api::annotation::kPodSetGroupName}
    );
    if (group != nullptr) {
        return;
    }
    const auto path =
        job_kinds::Path::compile("spec.mpiReplicaSpecs.Worker.template.metadata.annotations");
    job_kinds::make_object(object, path->steps())->set(api::annotation::kPodIndexOffset, "1");
}

void MpiAdmission::sort(api::FieldErrors& errors) const {
    std::ranges::stable_sort(errors, {}, &api::FieldError::field);
}

}  // namespace sluice::controller
