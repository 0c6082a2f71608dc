#include "controller/serving_samples.hpp"

#include "api/core/apps.hpp"
#include "controller/jobs/members/group_pods.hpp"
#include "controller/jobs/serving/group_owner.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"

#include <fmt/format.h>

namespace sluice::controller {

namespace {

constexpr std::string_view kPodSpec =
    "'spec':{'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'1'}}}]}";

std::string name_of_workload(
    const MiniCluster& cluster, const ObjectKey& owner, std::string_view group
) {
    api::ObjectMeta metadata;
    metadata.uid = cluster.at(owner, {"metadata", "uid"});
    return group_workload_name({owner.kind, "", metadata}, group, Settings{});
}

void put_gated_pod(
    MiniCluster& cluster,
    std::string_view name,
    std::string_view labels,
    std::string_view annotations,
    std::string_view owner
) {
    cluster.put(fmt::format(
        "{{'apiVersion':'v1','kind':'Pod','metadata':{{'name':'{}','namespace':'team','labels':"
        "{{{}}},'annotations':{{{},'kueue.x-k8s.io/role-hash':'abc'}}{}}},"
        "'spec':{{'schedulingGates':[{{'name':'kueue.x-k8s.io/admission'}},"
        "{{'name':'kueue.x-k8s.io/topology'}}],'containers':[{{'name':'c','image':'i',"
        "'resources':{{'requests':{{'cpu':'1'}}}}}}]}},'status':{{'phase':'Pending'}}}}",
        name,
        labels,
        annotations,
        owner
    ));
}

}  // namespace

ObjectKey stateful_set_key(std::string_view name) {
    return {kind_of<api::StatefulSet>(), "team", std::string(name)};
}
ObjectKey leader_worker_set_key(std::string_view name) {
    return {leader_worker_set_names()->kind(), "team", std::string(name)};
}

void start_serving(MiniCluster& cluster) {
    cluster.add_kind(pod_kind(true));
    cluster.add_kind(stateful_set_kind(true));
    cluster.add_kind(leader_worker_set_kind());
    make_queues(cluster);
}

void put_stateful_set(MiniCluster& cluster, std::string_view name, int replicas) {
    cluster.put(fmt::format(
        "{{'apiVersion':'apps/v1','kind':'StatefulSet','metadata':{{'name':'{}','namespace':'team',"
        "'labels':{{'kueue.x-k8s.io/queue-name':'main'}}}},'spec':{{'replicas':{},'template':"
        "{{'metadata':{{'labels':{{'app':'web'}},'annotations':"
        "{{'kueue.x-k8s.io/pod-suspending-parent':'statefulset'}}}},{}}}}}}}",
        name,
        replicas,
        kPodSpec
    ));
}

void set_status(MiniCluster& cluster, const ObjectKey& key, const std::string& status) {
    cluster.merge(key, "{'status':{" + status + "}}");
}

void put_pod_of_set(
    MiniCluster& cluster, std::string_view set, int ordinal, std::string_view revision
) {
    put_gated_pod(
        cluster,
        fmt::format("{}-{}", set, ordinal),
        fmt::format(
            "'apps.kubernetes.io/pod-index':'{}','controller-revision-hash':'{}'", ordinal, revision
        ),
        "'kueue.x-k8s.io/pod-suspending-parent':'statefulset'",
        fmt::format(
            ",'ownerReferences':[{{'apiVersion':'apps/v1','kind':'StatefulSet','name':'{}',"
            "'uid':'{}','controller':true}}]",
            set,
            cluster.at(stateful_set_key(set), {"metadata", "uid"})
        )
    );
}

ObjectKey workload_of_set(const MiniCluster& cluster, std::string_view name) {
    return {
        kind_of<api::Workload>(), "team", name_of_workload(cluster, stateful_set_key(name), name)
    };
}

void put_leader_worker_set(MiniCluster& cluster, std::string_view name, int replicas) {
    cluster.put(fmt::format(
        "{{'apiVersion':'leaderworkerset.x-k8s.io/v1','kind':'LeaderWorkerSet','metadata':"
        "{{'name':'{}','namespace':'team','labels':{{'kueue.x-k8s.io/queue-name':'main'}}}},"
        "'spec':{{'replicas':{},'leaderWorkerTemplate':{{'size':2,'leaderTemplate':{{{}}},"
        "'workerTemplate':{{'metadata':{{'labels':{{'leaderworkerset.sigs.k8s.io/x':'1',"
        "'app':'llm'}}}},{}}}}}}}}}",
        name,
        replicas,
        kPodSpec,
        kPodSpec
    ));
}

void put_leader(MiniCluster& cluster, std::string_view set, int replica) {
    put_gated_pod(
        cluster,
        fmt::format("{}-{}", set, replica),
        fmt::format(
            "'leaderworkerset.sigs.k8s.io/name':'{}','leaderworkerset.sigs.k8s.io/group-index':'{}'"
            ",'kueue.x-k8s.io/queue-name':'main'",
            set,
            replica
        ),
        "'kueue.x-k8s.io/pod-suspending-parent':'leaderworkerset.x-k8s.io/leaderworkerset',"
        "'kueue.x-k8s.io/pod-group-serving':'true'",
        ""
    );
}

void put_worker(MiniCluster& cluster, std::string_view set, int replica) {
    put_gated_pod(
        cluster,
        fmt::format("{}-{}-1", set, replica),
        fmt::format(
            "'leaderworkerset.sigs.k8s.io/name':'{}','leaderworkerset.sigs.k8s.io/group-index':'{}'"
            ",'kueue.x-k8s.io/queue-name':'main'",
            set,
            replica
        ),
        fmt::format(
            "'kueue.x-k8s.io/pod-suspending-parent':'leaderworkerset.x-k8s.io/leaderworkerset',"
            "'kueue.x-k8s.io/pod-group-serving':'true',"
            "'leaderworkerset.sigs.k8s.io/leader-name':'{}-{}'",
            set,
            replica
        ),
        ""
    );
}

ObjectKey workload_of_replica(const MiniCluster& cluster, std::string_view name, int replica) {
    return {
        kind_of<api::Workload>(),
        "team",
        name_of_workload(cluster, leader_worker_set_key(name), fmt::format("{}-{}", name, replica))
    };
}

}  // namespace sluice::controller
