#include "sim/controllers.hpp"

#include "sim/apps/deployment.hpp"
#include "sim/apps/replica_set.hpp"
#include "sim/apps/stateful_set.hpp"

namespace sluice::sim {

const std::map<apiserver::Collection, Controller>& controllers() {
    static const std::map<apiserver::Collection, Controller> kControllers = {
        {{"apps", "deployments"}, {"apps/v1", "Deployment", reconcile_deployment}},
        {{"apps", "replicasets"}, {"apps/v1", "ReplicaSet", reconcile_replica_set}},
        {{"apps", "statefulsets"}, {"apps/v1", "StatefulSet", reconcile_stateful_set}},
    };
    return kControllers;
}

}  // namespace sluice::sim
