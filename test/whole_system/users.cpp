#include "whole_system/users.hpp"

#include "sim/pods/node_spec.hpp"
#include "whole_system/job_kinds.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace sluice::whole_system {

namespace {

const apiserver::Collection kPods{"", "pods"};
const apiserver::Collection kNodes{"", "nodes"};
const apiserver::Collection kWorkloads{"kueue.x-k8s.io", "workloads"};
constexpr std::int64_t kNodeCpu = 16;
constexpr const char* kRecovery =
    "{'metadata':{'annotations':{'sluice.dev/ready':null}},'spec':{'taints':null,"
    "'unschedulable':null}}";

std::string pod_spec(std::int64_t cpu, std::int64_t memory) {
    return fmt::format(
        "{{'restartPolicy':'Never','containers':[{{'name':'c','image':'i','resources':"
        "{{'requests':{{'cpu':'{}','memory':'{}Gi'}}}}}}]}}",
        cpu,
        memory
    );
}

/// The annotation of pods that ask for a rack or a host, if there are any.
std::string topology_annotation(Prng& prng, const World& world) {
    if (!world.has_topologies || prng.chance(40)) {
        return "";
    }
    return fmt::format(
        ",'kueue.x-k8s.io/podset-{}-topology':'{}'",
        prng.chance(50) ? "required" : "preferred",
        prng.chance(60) ? "rack" : "kubernetes.io/hostname"
    );
}

/// Labels and annotations of a template of pods that run for a while, and sometimes fail.
std::string run_annotations(Prng& prng, const World& world) {
    return fmt::format(
        "'metadata':{{'annotations':{{'sluice.dev/run-seconds':'{}','sluice.dev/"
        "exit-code':'{}'{}}}}}",
        prng.between(1, 300),
        prng.chance(10) ? 1 : 0,
        topology_annotation(prng, world)
    );
}

}  // namespace

Users::Users(
    commands::VirtualCluster& cluster, Invariants& invariants, const World& world, Prng& prng
)
    : cluster_(cluster),
      client_(
          cluster, [&invariants](std::string name) { invariants.set_user_writes(std::move(name)); }
      ),
      world_(world),
      prng_(prng) {}

std::string Users::any_name(const apiserver::Collection& collection) {
    const std::vector<std::string> all = client_.names(collection);
    return all.empty() ? "" : all[prng_.below(all.size())];
}

/// Of every two jobs one is a Job.
const JobKind& Users::any_kind() {
    return prng_.chance(50) ? job_kinds().front() : job_kinds()[prng_.below(job_kinds().size())];
}

std::string Users::act() {
    const auto choice = prng_.below(100);
    if (choice < 30) {
        return create_job();
    }
    if (choice < 38) {
        return create_job_set();
    }
    if (choice < 45) {
        return create_training_job();
    }
    if (choice < 52) {
        return create_pod();
    }
    if (choice < 57) {
        return create_group();
    }
    if (choice < 65) {
        return delete_job();
    }
    if (choice < 78) {
        return edit_job();
    }
    if (choice < 88) {
        return edit_workload();
    }
    if (choice < 94) {
        return edit_queue();
    }
    if (choice < 96) {
        return kill_pod();
    }
    return world_.has_topologies && prng_.chance(75) ? trouble_node() : lose_node();
}

/// Those of a job in some queue.
std::string Users::labels() {
    std::string made = fmt::format("'kueue.x-k8s.io/queue-name':'{}'", any_queue());
    if (prng_.chance(50)) {
        made +=
            fmt::format(",'kueue.x-k8s.io/priority-class':'{}'", prng_.chance(50) ? "low" : "high");
    }
    return made;
}

std::string Users::create_job() {
    const std::string name = fmt::format("job-{}", ++jobs_);
    const auto parallelism = prng_.between(1, 4);
    const int status = client_.create(
        job_kinds()[0].path,
        parse(fmt::format(
            "{{'apiVersion':'batch/v1','kind':'Job','metadata':{{'name':'{}','labels':{{{}}}}},"
            "'spec':{{'parallelism':{},'completions':{},'backoffLimit':1,{}'template':{{{},'spec':{"
            "}"
            "}}}}}}",
            name,
            labels(),
            parallelism,
            parallelism + prng_.between(0, 2),
            prng_.chance(60) ? "'suspend':true," : "",
            run_annotations(prng_, world_),
            pod_spec(prng_.between(1, 4), prng_.between(1, 8))
        ))
    );
    return fmt::format("creates {}: {}", name, status);
}

/// One or two replicated Jobs, each once or twice.
std::string Users::create_job_set() {
    const std::string name = fmt::format("set-{}", ++jobs_);
    std::string parts;
    const auto count = prng_.between(1, 2);
    for (int i = 0; i < count; ++i) {
        const auto parallelism = prng_.between(1, 2);
        parts += fmt::format(
            "{}{{'name':'part-{}','replicas':{},'template':{{'spec':{{'parallelism':{},"
            "'completions':{},'backoffLimit':0,'template':{{{},'spec':{}}}}}}}}}",
            i == 0 ? "" : ",",
            i,
            prng_.between(1, 2),
            parallelism,
            parallelism,
            run_annotations(prng_, world_),
            pod_spec(prng_.between(1, 2), prng_.between(1, 4))
        );
    }
    const int status = client_.create(
        job_kinds()[1].path,
        parse(fmt::format(
            "{{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{{'name':'{}',"
            "'labels':{{{}}}}},'spec':{{{}'replicatedJobs':[{}]}}}}",
            name,
            labels(),
            prng_.chance(60) ? "'suspend':true," : "",
            parts
        ))
    );
    return fmt::format("creates {}: {}", name, status);
}

std::string Users::create_training_job() {
    const std::string name = fmt::format("train-{}", ++jobs_);
    const auto replicas = [this](std::int64_t count) {
        return fmt::format(
            "{{'replicas':{},'restartPolicy':'Never','template':{{{},'spec':{}}}}}",
            count,
            run_annotations(prng_, world_),
            pod_spec(prng_.between(1, 3), prng_.between(1, 4))
        );
    };
    const std::string master = replicas(1);
    const std::string workers = replicas(prng_.between(1, 3));
    const int status = client_.create(
        job_kinds()[2].path,
        parse(fmt::format(
            "{{'apiVersion':'kubeflow.org/"
            "v1','kind':'PyTorchJob','metadata':{{'name':'{}','labels':"
            "{{{}}}}},'spec':{{{}'pytorchReplicaSpecs':{{'Master':{},'Worker':{}}}}}}}",
            name,
            labels(),
            prng_.chance(60) ? "'runPolicy':{'suspend':true}," : "",
            master,
            workers
        ))
    );
    return fmt::format("creates {}: {}", name, status);
}

std::string Users::create_pod() {
    const std::string name = fmt::format("pod-{}", ++jobs_);
    const int status = client_.create(
        kPodsPath,
        parse(fmt::format(
            "{{'apiVersion':'v1','kind':'Pod','metadata':{{'name':'{}','labels':{{{}}},"
            "'annotations':{{'sluice.dev/run-seconds':'{}'{}}}}},'spec':{}}}",
            name,
            labels(),
            prng_.between(1, 300),
            topology_annotation(prng_, world_),
            pod_spec(prng_.between(1, 4), prng_.between(1, 8))
        ))
    );
    return fmt::format("creates {}: {}", name, status);
}

std::string Users::create_group() {
    const std::string name = fmt::format("group-{}", ++jobs_);
    const std::string all_labels = labels();
    const auto total = prng_.between(2, 3);
    const std::string spec = pod_spec(prng_.between(1, 3), 1);
    const std::string topology = topology_annotation(prng_, world_);
    std::string statuses;
    for (int i = 0; i < total; ++i) {
        statuses += fmt::format(
            " {}",
            client_.create(
                kPodsPath,
                parse(fmt::format(
                    "{{'apiVersion':'v1','kind':'Pod','metadata':{{'name':'{}-{}','labels':{{{},"
                    "'kueue.x-k8s.io/pod-group-name':'{}'}},'annotations':{{"
                    "'kueue.x-k8s.io/pod-group-total-count':'{}','sluice.dev/run-seconds':'{}'{}"
                    "}}}},'spec':{}}}",
                    name,
                    i,
                    all_labels,
                    name,
                    total,
                    prng_.between(1, 200),
                    topology,
                    spec
                ))
            )
        );
    }
    return fmt::format("creates {} of {} pods:{}", name, total, statuses);
}

std::string Users::delete_job() {
    if (prng_.chance(20)) {
        const std::string pod = any_name(kPods);
        return pod.empty()
                   ? "has no pod to delete"
                   : fmt::format(
                         "deletes {}: {}", pod, client_.remove(fmt::format("{}/{}", kPodsPath, pod))
                     );
    }
    const JobKind& kind = any_kind();
    const std::string name = any_name(kind.collection);
    if (name.empty()) {
        return "has nothing to delete";
    }
    const int status = client_.remove(fmt::format("{}/{}", kind.path, name));
    return fmt::format("deletes {}: {}", name, status);
}

std::string Users::edit_job() {
    const JobKind& kind = any_kind();
    const std::string name = any_name(kind.collection);
    if (name.empty()) {
        return "has nothing to edit";
    }
    std::string patch;
    const bool is_batch = &kind == &job_kinds().front();
    switch (prng_.below(4)) {
        case 0:
            patch = kind.suspend_patch(prng_.chance(50));
            break;
        case 1:
            patch = is_batch ? fmt::format("{{'spec':{{'parallelism':{}}}}}", prng_.between(1, 4))
                             : kind.suspend_patch(prng_.chance(50));
            break;
        case 2:
            patch = fmt::format(
                "{{'metadata':{{'labels':{{'kueue.x-k8s.io/queue-name':'{}'}}}}}}", any_queue()
            );
            break;
        default:
            patch = fmt::format(
                "{{'metadata':{{'labels':{{'kueue.x-k8s.io/priority-class':'{}'}}}}}}",
                prng_.chance(50) ? "low" : "high"
            );
    }
    const int status = client_.merge(fmt::format("{}/{}", kind.path, name), patch);
    return fmt::format("edits {} by {}: {}", name, patch, status);
}

std::string Users::edit_workload() {
    const std::string name = any_name(kWorkloads);
    if (name.empty()) {
        return "has no Workload to edit";
    }
    const std::string path = fmt::format("{}namespaces/team/workloads/{}", kKueuePath, name);
    if (prng_.chance(30)) {
        return fmt::format("deletes Workload {}: {}", name, client_.remove(path));
    }
    const bool active = prng_.chance(60);
    const int status = client_.merge(path, fmt::format("{{'spec':{{'active':{}}}}}", active));
    return fmt::format("sets active of Workload {} to {}: {}", name, active, status);
}

std::string Users::edit_queue() {
    const std::string& name = any_queue();
    const std::string path = fmt::format("{}clusterqueues/{}", kKueuePath, name);
    if (prng_.chance(50)) {
        static constexpr const char* kPolicies[]{"None", "None", "Hold", "HoldAndDrain"};
        const char* policy = kPolicies[prng_.below(4)];
        const int status =
            client_.merge(path, fmt::format("{{'spec':{{'stopPolicy':'{}'}}}}", policy));
        return fmt::format("sets stopPolicy of {} to {}: {}", name, policy, status);
    }
    const json::Value quotas = some_quotas(prng_, world_.flavors);
    const int status = client_.send("PATCH", path, &quotas);
    return fmt::format("gives {} the quotas {}: {}", name, json::print(quotas), status);
}

/// A node goes with its pods, and another comes.
std::string Users::lose_node() {
    const std::string name = any_name(kNodes);
    auto flavor = world_.flavors[prng_.below(world_.flavors.size())];
    if (world_.enforces_capacity) {  // each flavor keeps enough nodes for each job
        flavor = name.substr(0, name.find('-'));
    }
    const int status = client_.remove("/api/v1/nodes/" + name);
    const auto made = sim::make_nodes(fmt::format(
        "{1}-new-{0}: cpu=16,memory=64Gi,label:pool={1},label:rack={2}",
        ++nodes_,
        flavor,
        prng_.chance(50) ? "a" : "b"
    ));
    cluster_.cluster().add_node(made->front(), cluster_.now());
    return fmt::format("deletes node {}: {}", name, status);
}

/// A pod is deleted, or ends in failure.
std::string Users::kill_pod() {
    const std::string name = any_name(kPods);
    if (name.empty()) {
        return "finds no pod to kill";
    }
    if (prng_.chance(50)) {
        return fmt::format(
            "deletes pod {}: {}", name, client_.remove(fmt::format("{}/{}", kPodsPath, name))
        );
    }
    const int status = client_.merge(
        fmt::format("{}/{}/status", kPodsPath, name), "{'status':{'phase':'Failed'}}"
    );
    return fmt::format("lets pod {} fail: {}", name, status);
}

/// A node fails, is tainted, cordoned, moved or made smaller, or recovers.
std::string Users::trouble_node() {
    const std::string name = any_name(kNodes);
    if (prng_.chance(20)) {
        const auto cpu = prng_.between(0, 16);
        return fmt::format("makes node {} have {} cpu: {}", name, cpu, resize_node(name, cpu));
    }
    static constexpr const char* kPatches[]{
        "{'metadata':{'annotations':{'sluice.dev/ready':'false'}}}",
        "{'spec':{'taints':[{'key':'broken','effect':'NoExecute'}]}}",
        "{'spec':{'taints':[{'key':'busy','effect':'NoSchedule'}]}}",
        "{'spec':{'unschedulable':true}}",
        "{'metadata':{'labels':{'rack':'a'}}}",
        "{'metadata':{'labels':{'rack':'b'}}}",
    };
    const bool recovers = prng_.chance(40);
    const char* const patch = recovers ? kRecovery : kPatches[prng_.below(std::size(kPatches))];
    const int status = client_.merge("/api/v1/nodes/" + name, patch);
    return fmt::format("patches node {} by {}: {}", name, patch, status);
}

int Users::resize_node(const std::string& name, std::int64_t cpu) {
    return client_.merge(
        fmt::format("/api/v1/nodes/{}/status", name),
        fmt::format("{{'status':{{'allocatable':{{'cpu':'{}'}}}}}}", cpu)
    );
}

void Users::let_all_run() {
    for (const std::string& name : client_.names(kNodes)) {
        client_.merge("/api/v1/nodes/" + name, kRecovery);
        resize_node(name, kNodeCpu);
    }
    for (const std::string& queue : world_.queues) {
        client_.merge(
            fmt::format("{}clusterqueues/{}", kKueuePath, queue), "{'spec':{'stopPolicy':'None'}}"
        );
    }
    for (const std::string& name : client_.names(kWorkloads)) {
        client_.merge(
            fmt::format("{}namespaces/team/workloads/{}", kKueuePath, name),
            "{'spec':{'active':true}}"
        );
    }
}

void Users::delete_all_jobs() {
    for (const JobKind& kind : job_kinds()) {
        for (const std::string& name : client_.names(kind.collection)) {
            client_.remove(fmt::format("{}/{}", kind.path, name));
        }
    }
    for (const std::string& name : client_.names(kPods)) {
        client_.remove(fmt::format("{}/{}", kPodsPath, name));
    }
    // A group that was evicted waits for other pods as long as it has its Workload.
    for (const std::string& name : client_.names(kWorkloads)) {
        if (name.starts_with("group-")) {
            client_.remove(fmt::format("{}namespaces/team/workloads/{}", kKueuePath, name));
        }
    }
}

}  // namespace sluice::whole_system
