#include "controller/jobs/described/training_runtime.hpp"

namespace sluice::controller {

namespace {

constexpr const char* kGroup = "trainer.kubeflow.org";

std::string_view ref_member(
    const json::Value& train_job, std::string_view member, std::string_view otherwise
) {
    const json::Value* ref = train_job.find_path({"spec", "runtimeRef"});
    const std::string_view said = ref == nullptr ? std::string_view() : ref->string_at(member);
    return said.empty() ? otherwise : said;
}

}  // namespace

std::shared_ptr<const kube::RunTimeKind> training_runtime_names() {
    static const auto names = std::make_shared<const kube::RunTimeKind>(kube::RunTimeKind::Names{
        .group = kGroup,
        .version = "v1alpha1",
        .kind = "TrainingRuntime",
        .resource = "trainingruntimes",
    });
    return names;
}

std::shared_ptr<const kube::RunTimeKind> cluster_training_runtime_names() {
    static const auto names = std::make_shared<const kube::RunTimeKind>(kube::RunTimeKind::Names{
        .group = kGroup,
        .version = "v1alpha1",
        .kind = "ClusterTrainingRuntime",
        .resource = "clustertrainingruntimes",
        .is_namespaced = false,
    });
    return names;
}

std::optional<kube::ObjectKey> runtime_of(const json::Value& train_job, std::string_view ns) {
    const std::string_view kind = ref_member(train_job, "kind", "ClusterTrainingRuntime");
    const std::string name(ref_member(train_job, "name", ""));
    if (ref_member(train_job, "apiGroup", kGroup) != kGroup) {
        return std::nullopt;
    }
    if (kind == "ClusterTrainingRuntime") {
        return kube::ObjectKey{cluster_training_runtime_names()->kind(), "", name};
    }
    if (kind == "TrainingRuntime") {
        return kube::ObjectKey{training_runtime_names()->kind(), std::string(ns), name};
    }
    return std::nullopt;
}

std::string kind_of_runtime(const json::Value& train_job) {
    std::string name(ref_member(train_job, "kind", "ClusterTrainingRuntime"));
    return name.append(".").append(ref_member(train_job, "apiGroup", kGroup));
}

}  // namespace sluice::controller
