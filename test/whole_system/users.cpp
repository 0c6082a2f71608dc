#include "whole_system/users.hpp"

#include "sim/node_spec.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::whole_system {

namespace {

const apiserver::Collection kJobs{"batch", "jobs"};
const apiserver::Collection kPods{"", "pods"};
const apiserver::Collection kNodes{"", "nodes"};
const apiserver::Collection kWorkloads{"kueue.x-k8s.io", "workloads"};

constexpr const char* kJobsPath = "/apis/batch/v1/namespaces/team/jobs";
constexpr const char* kPodsPath = "/api/v1/namespaces/team/pods";
constexpr const char* kKueuePath = "/apis/kueue.x-k8s.io/v1beta2/";

std::string pod_spec(std::int64_t cpu, std::int64_t memory) {
    return fmt::format(
        "{{'restartPolicy':'Never','containers':[{{'name':'c','image':'i','resources':"
        "{{'requests':{{'cpu':'{}','memory':'{}Gi'}}}}}}]}}",
        cpu,
        memory
    );
}

}  // namespace

int Users::send(std::string method, std::string path, const json::Value* body) {
    apiserver::Request request = apiserver::make_request(method, path);
    request.accept = "application/json";
    request.user_agent = "kubectl";
    request.content_type = method == "PATCH" ? "application/merge-patch+json" : "application/json";
    if (body != nullptr) {
        request.body = json::print(*body);
    }
    const json::Value* created =
        method == "POST" && body != nullptr ? body->find_path({"metadata", "name"}) : nullptr;
    const std::string named = path.substr(path.rfind('/') + 1);
    invariants_.set_user_writes(
        created != nullptr ? created->as_string() : named.substr(0, named.find('?'))
    );
    const int status = cluster_.request(std::move(request)).status;
    invariants_.set_user_writes("");
    return status;
}

int Users::create(const std::string& path, const json::Value& object) {
    return send("POST", path, &object);
}

int Users::merge(const std::string& path, const std::string& patch) {
    const json::Value body = parse(patch);
    return send("PATCH", path, &body);
}

int Users::remove(const std::string& path) {
    return send("DELETE", path + "?propagationPolicy=Background", nullptr);
}

std::vector<std::string> Users::names(const apiserver::Collection& collection) const {
    std::vector<std::string> made;
    for (const auto& [name, object] : cluster_.state().store.objects(collection)) {
        made.push_back(name.name);
    }
    return made;
}

std::string Users::any_name(const apiserver::Collection& collection) {
    const std::vector<std::string> all = names(collection);
    return all.empty() ? "" : all[prng_.below(all.size())];
}

std::string Users::act() {
    const auto choice = prng_.below(100);
    if (choice < 45) {
        return create_job();
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
    if (choice < 96) {
        return edit_queue();
    }
    return lose_node();
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
    const int status = create(
        kJobsPath,
        parse(fmt::format(
            "{{'apiVersion':'batch/v1','kind':'Job','metadata':{{'name':'{}','labels':{{{}}}}},"
            "'spec':{{'parallelism':{},'completions':{},'backoffLimit':1,{}'template':{{"
            "'metadata':{{'annotations':{{'sluice.dev/run-seconds':'{}','sluice.dev/exit-code':"
            "'{}'}}}},'spec':{}}}}}}}",
            name,
            labels(),
            parallelism,
            parallelism + prng_.between(0, 2),
            prng_.chance(60) ? "'suspend':true," : "",
            prng_.between(1, 300),
            prng_.chance(10) ? 1 : 0,
            pod_spec(prng_.between(1, 4), prng_.between(1, 8))
        ))
    );
    return fmt::format("creates {}: {}", name, status);
}

std::string Users::create_pod() {
    const std::string name = fmt::format("pod-{}", ++jobs_);
    const int status = create(
        kPodsPath,
        parse(fmt::format(
            "{{'apiVersion':'v1','kind':'Pod','metadata':{{'name':'{}','labels':{{{}}},"
            "'annotations':{{'sluice.dev/run-seconds':'{}'}}}},'spec':{}}}",
            name,
            labels(),
            prng_.between(1, 300),
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
    std::string statuses;
    for (int i = 0; i < total; ++i) {
        statuses += fmt::format(
            " {}",
            create(
                kPodsPath,
                parse(fmt::format(
                    "{{'apiVersion':'v1','kind':'Pod','metadata':{{'name':'{}-{}','labels':{{{},"
                    "'kueue.x-k8s.io/pod-group-name':'{}'}},'annotations':{{"
                    "'kueue.x-k8s.io/pod-group-total-count':'{}','sluice.dev/run-seconds':'{}'}}}},"
                    "'spec':{}}}",
                    name,
                    i,
                    all_labels,
                    name,
                    total,
                    prng_.between(1, 200),
                    spec
                ))
            )
        );
    }
    return fmt::format("creates {} of {} pods:{}", name, total, statuses);
}

std::string Users::delete_job() {
    const bool is_pod = prng_.chance(20);
    const std::string name = any_name(is_pod ? kPods : kJobs);
    if (name.empty()) {
        return "has nothing to delete";
    }
    const int status = remove(fmt::format("{}/{}", is_pod ? kPodsPath : kJobsPath, name));
    return fmt::format("deletes {}: {}", name, status);
}

std::string Users::edit_job() {
    const std::string name = any_name(kJobs);
    if (name.empty()) {
        return "has nothing to edit";
    }
    std::string patch;
    switch (prng_.below(4)) {
        case 0:
            patch = fmt::format("{{'spec':{{'suspend':{}}}}}", prng_.chance(50));
            break;
        case 1:
            patch = fmt::format("{{'spec':{{'parallelism':{}}}}}", prng_.between(1, 4));
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
    const int status = merge(fmt::format("{}/{}", kJobsPath, name), patch);
    return fmt::format("edits {} by {}: {}", name, patch, status);
}

std::string Users::edit_workload() {
    const std::string name = any_name(kWorkloads);
    if (name.empty()) {
        return "has no Workload to edit";
    }
    const std::string path = fmt::format("{}namespaces/team/workloads/{}", kKueuePath, name);
    if (prng_.chance(30)) {
        return fmt::format("deletes Workload {}: {}", name, remove(path));
    }
    const bool active = prng_.chance(60);
    const int status = merge(path, fmt::format("{{'spec':{{'active':{}}}}}", active));
    return fmt::format("sets active of Workload {} to {}: {}", name, active, status);
}

std::string Users::edit_queue() {
    const std::string& name = any_queue();
    const std::string path = fmt::format("{}clusterqueues/{}", kKueuePath, name);
    if (prng_.chance(50)) {
        static constexpr const char* kPolicies[]{"None", "None", "Hold", "HoldAndDrain"};
        const char* policy = kPolicies[prng_.below(4)];
        const int status = merge(path, fmt::format("{{'spec':{{'stopPolicy':'{}'}}}}", policy));
        return fmt::format("sets stopPolicy of {} to {}: {}", name, policy, status);
    }
    const json::Value quotas = some_quotas(prng_, world_.flavors);
    const int status = send("PATCH", path, &quotas);
    return fmt::format("gives {} the quotas {}: {}", name, json::print(quotas), status);
}

/// A node goes with its pods, and another comes.
std::string Users::lose_node() {
    const std::string name = any_name(kNodes);
    const int status = remove("/api/v1/nodes/" + name);
    const auto flavor = world_.flavors[prng_.below(world_.flavors.size())];
    const auto made =
        sim::make_nodes(fmt::format("new-{}: cpu=16,memory=64Gi,label:pool={}", ++nodes_, flavor));
    cluster_.cluster().add_node(made->front(), cluster_.now());
    return fmt::format("deletes node {}: {}", name, status);
}

void Users::let_all_run() {
    for (const std::string& queue : world_.queues) {
        merge(
            fmt::format("{}clusterqueues/{}", kKueuePath, queue), "{'spec':{'stopPolicy':'None'}}"
        );
    }
    for (const std::string& name : names(kWorkloads)) {
        merge(
            fmt::format("{}namespaces/team/workloads/{}", kKueuePath, name),
            "{'spec':{'active':true}}"
        );
    }
}

void Users::delete_all_jobs() {
    for (const std::string& name : names(kJobs)) {
        remove(fmt::format("{}/{}", kJobsPath, name));
    }
    for (const std::string& name : names(kPods)) {
        remove(fmt::format("{}/{}", kPodsPath, name));
    }
    // A group that was evicted waits for other pods as long as it has its Workload.
    for (const std::string& name : names(kWorkloads)) {
        if (name.starts_with("group-")) {
            remove(fmt::format("{}namespaces/team/workloads/{}", kKueuePath, name));
        }
    }
}

}  // namespace sluice::whole_system
