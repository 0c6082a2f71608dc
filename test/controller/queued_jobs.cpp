#include "controller/queued_jobs.hpp"

#include <algorithm>

namespace sluice::controller {

namespace {

constexpr std::string_view kNamespace =
    "{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'team'}}";
constexpr std::string_view kFlavor = R"({'kind':'ResourceFlavor','metadata':{'name':'spot'},
    'spec':{'nodeLabels':{'tier':'spot'},
            'tolerations':[{'key':'spot','operator':'Exists','effect':'NoSchedule'}]}})";
constexpr std::string_view kClusterQueue =
    R"({'kind':'ClusterQueue','metadata':{'name':'cq'},'spec':{
    'namespaceSelector':{},'queueingStrategy':'BestEffortFIFO','stopPolicy':'None',
    'preemption':{'withinClusterQueue':'LowerPriority','reclaimWithinCohort':'Never'},
    'resourceGroups':[{'coveredResources':['cpu'],
        'flavors':[{'name':'spot','resources':[{'name':'cpu','nominalQuota':'4'}]}]}]}})";
constexpr std::string_view kLocalQueue =
    "{'kind':'LocalQueue','metadata':{'name':'main','namespace':'team'},'spec':{'clusterQueue':'cq'"
    ",'stopPolicy':'None'}}";

}  // namespace

std::string job(std::string_view name, int cpu, std::string_view more_labels) {
    std::string text =
        R"({'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'NAME','namespace':'team',
        'labels':{'kueue.x-k8s.io/queue-name':'main'MORE}},
        'spec':{'parallelism':1,'completions':1,'suspend':true,'template':{
            'metadata':{'labels':{'job-name':'NAME','app':'x'}},
            'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'i',
                'resources':{'requests':{'cpu':'CPU'}}}]}}}})";
    const auto replace = [&text](std::string_view from, std::string_view to) {
        for (std::size_t at = text.find(from); at != std::string::npos;
             at = text.find(from, at + to.size())) {
            text.replace(at, from.size(), to);
        }
    };
    replace("NAME", name);
    replace("CPU", std::to_string(cpu));
    replace("MORE", more_labels);
    return text;
}

ObjectKey job_key(std::string_view name) {
    return {kind_of<api::Job>(), "team", std::string(name)};
}
ObjectKey workload_key(const MiniCluster& cluster, std::string_view name) {
    return {kind_of<api::Workload>(), "team", cluster.workload_of("team", name)};
}

void make_queues(MiniCluster& cluster) {
    for (const std::string_view object : {kNamespace, kFlavor, kClusterQueue, kLocalQueue}) {
        cluster.put(object);
    }
}

void complete(MiniCluster& cluster, std::string_view name) {
    cluster.merge(job_key(name), "{'status':{'conditions':[{'type':'Complete','status':'True'}]}}");
}

void set_active_pods(MiniCluster& cluster, std::string_view name, int count) {
    cluster.merge(job_key(name), "{'status':{'active':" + std::to_string(count) + "}}");
}

bool is_running(const MiniCluster& cluster, std::string_view name) {
    return cluster.at(job_key(name), {"spec", "suspend"}) == "false";
}

bool has_event(const MiniCluster& cluster, std::string_view reason, std::string_view note) {
    return std::ranges::any_of(cluster.events, [&](const EventNote& event) {
        return event.reason == reason && event.note == note;
    });
}

}  // namespace sluice::controller
