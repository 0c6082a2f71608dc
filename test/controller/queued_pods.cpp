#include "controller/queued_pods.hpp"

#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"

#include <fmt/format.h>

namespace sluice::controller {

namespace {

std::string print_map(const std::map<std::string, std::string>& map) {
    std::string text;
    for (const auto& [key, value] : map) {
        text += fmt::format("{}'{}':'{}'", text.empty() ? "" : ",", key, value);
    }
    return "{" + text + "}";
}

}  // namespace

std::string PodText::text() const {
    auto all_labels = labels;
    if (is_managed) {
        all_labels.emplace("kueue.x-k8s.io/managed", "true");
        all_labels.emplace("kueue.x-k8s.io/queue-name", "main");
    }
    return fmt::format(
        "{{'apiVersion':'v1','kind':'Pod','metadata':{{'name':'{}','namespace':'team','labels':{},"
        "'annotations':{}{}}},'spec':{{'restartPolicy':'Never',{}'containers':[{{'name':'c',"
        "'image':'i','resources':{{'requests':{{'cpu':'{}'}}}}}}]}},"
        "'status':{{'phase':'Pending'}}}}",
        name,
        print_map(all_labels),
        print_map(annotations),
        is_managed ? ",'finalizers':['kueue.x-k8s.io/managed']" : "",
        is_managed ? "'schedulingGates':[{'name':'kueue.x-k8s.io/admission'},"
                     "{'name':'kueue.x-k8s.io/topology'}],"
                   : "",
        cpu
    );
}

PodText group_pod(std::string_view name, int total, std::string_view role) {
    PodText pod{.name = std::string(name), .labels = {}, .annotations = {}};
    pod.annotations = {
        {"kueue.x-k8s.io/pod-group-name", "train"},
        {"kueue.x-k8s.io/pod-group-total-count", std::to_string(total)},
        {"kueue.x-k8s.io/role-hash", std::string(role)},
    };
    return pod;
}

ObjectKey pod_key(std::string_view name) {
    return {kind_of<api::Pod>(), "team", std::string(name)};
}
ObjectKey group_workload() {
    return {kind_of<api::Workload>(), "team", "train"};
}

void start_with_pods(MiniCluster& cluster) {
    cluster.add_kind(pod_kind(true));
    make_queues(cluster);
}

void put_pod(MiniCluster& cluster, const PodText& pod) {
    cluster.put(pod.text());
}

void set_pod_status(MiniCluster& cluster, std::string_view name, const std::string& status) {
    cluster.merge(pod_key(name), "{'status':{" + status + "}}");
}

void run_pod(MiniCluster& cluster, std::string_view name) {
    cluster.merge(
        pod_key(name),
        "{'spec':{'nodeName':'n'},'status':{'phase':'Running','conditions':["
        "{'type':'Ready','status':'True'}]}}"
    );
}

void delete_pod(MiniCluster& cluster, std::string_view name) {
    cluster.remove(pod_key(name));
}

bool is_there(const MiniCluster& cluster, const ObjectKey& key) {
    return cluster.find(key) != nullptr;
}

bool is_pod_gated(const MiniCluster& cluster, std::string_view name) {
    return !cluster.at(pod_key(name), {"spec", "schedulingGates"}).empty();
}

bool is_pod_deleted(const MiniCluster& cluster, std::string_view name) {
    return !is_there(cluster, pod_key(name)) ||
           !cluster.at(pod_key(name), {"metadata", "deletionTimestamp"}).empty();
}

bool holds_pod(const MiniCluster& cluster, std::string_view name) {
    return !cluster.at(pod_key(name), {"metadata", "finalizers"}).empty();
}

}  // namespace sluice::controller
