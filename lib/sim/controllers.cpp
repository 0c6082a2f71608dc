#include "sim/controllers.hpp"

#include "sim/apps/deployment.hpp"
#include "sim/apps/replica_set.hpp"
#include "sim/apps/stateful_set.hpp"
#include "sim/kinds/app_wrapper.hpp"
#include "sim/kinds/cron_job.hpp"
#include "sim/kinds/job_set.hpp"
#include "sim/kinds/leader_worker_set.hpp"
#include "sim/kinds/pod_job.hpp"

#include <memory>
#include <string_view>
#include <utility>

namespace sluice::sim {

namespace {

using Reconcile = std::function<Outcome(const Turn&)>;

/// Returns the controller of a kind that has code in place of a simulation, by its framework;
/// nullptr if the kind has none.
Reconcile find_code(std::string_view framework) {
    return framework == "jobset.x-k8s.io/jobset"              ? Reconcile(reconcile_job_set)
           : framework == "trainer.kubeflow.org/trainjob"     ? Reconcile(reconcile_train_job)
           : framework == "workload.codeflare.dev/appwrapper" ? Reconcile(reconcile_app_wrapper)
                                                              : nullptr;
}

}  // namespace

Controllers make_controllers(std::span<const job_kinds::BuiltinKind> kinds) {
    Controllers made = {
        {{"", "replicationcontrollers"},
         {"v1", "ReplicationController", reconcile_replication_controller}},
        {{"apps", "deployments"}, {"apps/v1", "Deployment", reconcile_deployment}},
        {{"apps", "replicasets"}, {"apps/v1", "ReplicaSet", reconcile_replica_set}},
        {{"apps", "statefulsets"}, {"apps/v1", "StatefulSet", reconcile_stateful_set}},
        {{"batch", "cronjobs"}, {"batch/v1", "CronJob", reconcile_cron_job}},
        {{"leaderworkerset.x-k8s.io", "leaderworkersets"},
         {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", reconcile_leader_worker_set}},
    };
    for (const job_kinds::BuiltinKind& kind : kinds) {
        const job_kinds::Description& each = kind.description;
        Reconcile reconcile = find_code(each.framework);
        if (kind.simulation) {
            reconcile = [shared = std::make_shared<const job_kinds::BuiltinKind>(kind
                         )](const Turn& turn) { return reconcile_pod_job(*shared, turn); };
        }
        if (reconcile) {
            made.emplace(
                apiserver::Collection{each.group, each.resource},
                Controller{each.api_version(), each.kind, std::move(reconcile)}
            );
        }
    }
    return made;
}

const Controllers& builtin_controllers() {
    static const Controllers kControllers = make_controllers(job_kinds::builtin_kinds());
    return kControllers;
}

}  // namespace sluice::sim
