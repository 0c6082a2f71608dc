#include "config/validation.hpp"

#include "config/checks.hpp"
#include "config/keys.hpp"
#include "config/problem.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace sluice::config {
namespace {

/// The keys of a Configuration in the order in which their problems are reported. The others follow
/// in the order of the table.
constexpr std::array<std::string_view, 13> kReportOrder = {
    "waitForPodsReady",
    "integrations",
    "multiKueue",
    "fairSharing",
    "admissionFairSharing",
    "internalCertManagement",
    "resources",
    "metrics",
    "tls",
    "visibilityServer",
    "webhook",
    "objectRetentionPolicies",
    "managedJobsNamespaceSelector",
};

}  // namespace

std::vector<Framework> known_frameworks() {
    return {
        {"batch/job", "Job.v1.batch"},
        {"deployment", "Deployment.v1.apps"},
        {"jobset.x-k8s.io/jobset", "JobSet.v1alpha2.jobset.x-k8s.io"},
        {"kubeflow.org/jaxjob", "JAXJob.v1.kubeflow.org"},
        {"kubeflow.org/mpijob", "MPIJob.v2beta1.kubeflow.org"},
        {"kubeflow.org/paddlejob", "PaddleJob.v1.kubeflow.org"},
        {"kubeflow.org/pytorchjob", "PyTorchJob.v1.kubeflow.org"},
        {"kubeflow.org/tfjob", "TFJob.v1.kubeflow.org"},
        {"kubeflow.org/xgboostjob", "XGBoostJob.v1.kubeflow.org"},
        {"leaderworkerset.x-k8s.io/leaderworkerset", "LeaderWorkerSet.v1.leaderworkerset.x-k8s.io"},
        {"pod", "Pod.v1"},
        {"ray.io/raycluster", "RayCluster.v1.ray.io"},
        {"ray.io/rayjob", "RayJob.v1.ray.io"},
        {"ray.io/rayservice", "RayService.v1.ray.io"},
        {"sparkoperator.k8s.io/sparkapplication", "SparkApplication.v1beta2.sparkoperator.k8s.io"},
        {"statefulset", "StatefulSet.v1.apps"},
        {"trainer.kubeflow.org/trainjob", "TrainJob.v1alpha1.trainer.kubeflow.org"},
        {"workload.codeflare.dev/appwrapper", "AppWrapper.v1beta2.workload.codeflare.dev"},
    };
}

std::optional<WaitForPodsReady> effective_wait_for_pods_ready(
    const Configuration& configuration, const FeatureGates& gates
) {
    if (gates.is_enabled(Feature::DisableWaitForPodsReady)) {
        return std::nullopt;
    }
    return configuration.wait_for_pods_ready;
}

std::vector<Problem> validate(const Configuration& configuration, const FeatureGates& gates) {
    Problems out;
    auto checked = configuration;
    checked.wait_for_pods_ready = effective_wait_for_pods_ready(configuration, gates);
    std::vector<Key<Configuration>> keys(configuration_keys().begin(), configuration_keys().end());
    std::ranges::stable_sort(keys, {}, [](const Key<Configuration>& key) {
        return std::ranges::find(kReportOrder, key.name);
    });
    check_keys(
        keys, {.path = "", .configuration = checked, .gates = gates, .problems = out}, checked
    );
    return out.take();
}

}  // namespace sluice::config
