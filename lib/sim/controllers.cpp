#include "sim/controllers.hpp"

#include "job_kinds/builtin.hpp"
#include "sim/apps/deployment.hpp"
#include "sim/apps/replica_set.hpp"
#include "sim/apps/stateful_set.hpp"
#include "sim/kinds/app_wrapper.hpp"
#include "sim/kinds/cron_job.hpp"
#include "sim/kinds/job_set.hpp"
#include "sim/kinds/leader_worker_set.hpp"
#include "sim/kinds/ray.hpp"
#include "sim/kinds/spark.hpp"
#include "sim/kinds/training.hpp"

#include <string_view>
#include <utility>

namespace sluice::sim {

namespace {

using Reconcile = std::function<Outcome(const Turn&)>;

Reconcile pod_job(PodJobKind kind) {
    return [kind = std::move(kind)](const Turn& turn) { return reconcile_pod_job(kind, turn); };
}

using Make = Reconcile (*)(const job_kinds::Description&);

/// Returns the makers of controllers, by the framework of the description.
const std::map<std::string_view, Make>& makers() {
    static const std::map<std::string_view, Make> kMakers = {
        {"jobset.x-k8s.io/jobset", [](const auto&) { return Reconcile(reconcile_job_set); }},
        {"kubeflow.org/jaxjob", [](const auto& each) { return pod_job(training_kind(each)); }},
        {"kubeflow.org/mpijob", [](const auto& each) { return pod_job(training_kind(each)); }},
        {"kubeflow.org/paddlejob", [](const auto& each) { return pod_job(training_kind(each)); }},
        {"kubeflow.org/pytorchjob", [](const auto& each) { return pod_job(training_kind(each)); }},
        {"kubeflow.org/tfjob", [](const auto& each) { return pod_job(training_kind(each)); }},
        {"kubeflow.org/xgboostjob", [](const auto& each) { return pod_job(training_kind(each)); }},
        {"ray.io/raycluster", [](const auto& each) { return pod_job(ray_cluster_kind(each)); }},
        {"ray.io/rayjob", [](const auto& each) { return pod_job(ray_job_kind(each)); }},
        {"ray.io/rayservice", [](const auto& each) { return pod_job(ray_service_kind(each)); }},
        {"sparkoperator.k8s.io/sparkapplication",
         [](const auto& each) { return pod_job(spark_kind(each)); }},
        {"trainer.kubeflow.org/trainjob", [](const auto&) { return Reconcile(reconcile_train_job); }
        },
        {"workload.codeflare.dev/appwrapper",
         [](const auto&) { return Reconcile(reconcile_app_wrapper); }},
    };
    return kMakers;
}

std::map<apiserver::Collection, Controller> make_controllers() {
    std::map<apiserver::Collection, Controller> made = {
        {{"", "replicationcontrollers"},
         {"v1", "ReplicationController", reconcile_replication_controller}},
        {{"apps", "deployments"}, {"apps/v1", "Deployment", reconcile_deployment}},
        {{"apps", "replicasets"}, {"apps/v1", "ReplicaSet", reconcile_replica_set}},
        {{"apps", "statefulsets"}, {"apps/v1", "StatefulSet", reconcile_stateful_set}},
        {{"batch", "cronjobs"}, {"batch/v1", "CronJob", reconcile_cron_job}},
        {{"leaderworkerset.x-k8s.io", "leaderworkersets"},
         {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", reconcile_leader_worker_set}},
    };
    for (const job_kinds::Description& each : job_kinds::builtin_descriptions()) {
        if (const auto found = makers().find(each.framework); found != makers().end()) {
            made.emplace(
                apiserver::Collection{each.group, each.resource},
                Controller{each.api_version(), each.kind, found->second(each)}
            );
        }
    }
    return made;
}

}  // namespace

const std::map<apiserver::Collection, Controller>& controllers() {
    static const std::map<apiserver::Collection, Controller> kControllers = make_controllers();
    return kControllers;
}

}  // namespace sluice::sim
