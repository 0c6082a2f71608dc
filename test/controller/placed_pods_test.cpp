// Pods with a topology are ungated in their domains, and nodes that fail under them are replaced.
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/topology_assignment.hpp"
#include "api/meta/codec.hpp"
#include "controller/jobs/reconciliation/pod_places.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::controller {
namespace {

constexpr char kTaint[] = "{'spec':{'taints':[{'key':'k','value':'v','effect':'NoExecute'}]}}";

ObjectKey node_key(std::string_view name) {
    return {kind_of<api::Node>(), "", std::string(name)};
}

/// Nodes of one rack with two cpus each, and a Job of three pods, two of which share a node.
struct PlacedJob {
    MiniCluster cluster;

    explicit PlacedJob(
        std::string_view nodes = "abc",
        Settings settings = {},
        const engine::Options& options = {},
        std::string_view toleration = ""
    )
        : cluster(1, options, std::move(settings)) {
        cluster.add_kind(pod_kind_without_jobs());
        make_queues(cluster);
        cluster.put(
            "{'kind':'Topology','metadata':{'name':'t'},'spec':{'levels':["
            "{'nodeLabel':'rack'},{'nodeLabel':'kubernetes.io/hostname'}]}}"
        );
        cluster.merge(
            {kind_of<api::ResourceFlavor>(), "", "spot"}, "{'spec':{'topologyName':'t'}}"
        );
        for (const char name : nodes) {
            put_node(std::string(1, name));
        }
        cluster.put(job("train", 1));
        cluster.merge(
            job_key("train"),
            "{'spec':{'parallelism':3,'completions':3,'template':{'metadata':{'annotations':{"
            "'kueue.x-k8s.io/podset-required-topology':'rack'}}}}}"
        );
        if (!toleration.empty()) {
            cluster.merge(
                job_key("train"),
                fmt::format(
                    "{{'spec':{{'template':{{'spec':{{'tolerations':[{}]}}}}}}}}", toleration
                )
            );
        }
        cluster.settle();
        REQUIRE(is_running(cluster, "train"));
        for (int i = 0; i < 3; ++i) {
            put_pod(i);
        }
        cluster.settle();
    }

    void put_node(const std::string& name) {
        cluster.put(
            "{'kind':'Node','metadata':{'name':'node-" + name +
            "','labels':{'rack':'r','tier':'spot','kubernetes.io/hostname':'" + name +
            "'}},'spec':{},'status':{'allocatable':{'cpu':'2','pods':'10'},"
            "'conditions':[{'type':'Ready','status':'True'}]}}"
        );
    }
    /// The pod that the Job controller makes of the Job's template.
    void put_pod(int index) {
        const json::Value* pod_template =
            cluster.find(job_key("train"))->find_path({"spec", "template"});
        REQUIRE(pod_template != nullptr);
        json::Value pod = *pod_template;
        pod.set("kind", "Pod");
        json::Value& metadata = *pod.find("metadata");
        metadata.set("name", fmt::format("p{}", index));
        metadata.set("namespace", "team");
        metadata.find("labels")->set(
            "batch.kubernetes.io/job-completion-index", std::to_string(index)
        );
        pod.set("status", json::Object{{"phase", "Pending"}});
        std::string text = json::print(pod);
        cluster.put(text);
    }
    static ObjectKey pod_key(int index) {
        return {kind_of<api::Pod>(), "team", fmt::format("p{}", index)};
    }
    /// The hosts that the pods' node selectors name; "-" for a gated pod.
    std::string hosts() const {
        std::string found;
        for (int i = 0; i < 3; ++i) {
            const json::Value* pod = cluster.find(pod_key(i));
            const json::Value* spec = pod == nullptr ? nullptr : pod->find("spec");
            const bool is_gated = spec != nullptr && spec->find("schedulingGates") != nullptr;
            const std::string host =
                cluster.at(pod_key(i), {"spec", "nodeSelector", "kubernetes.io/hostname"});
            found += is_gated || host.empty() ? "-" : host;
        }
        return found;
    }
    /// Plays kube-scheduler and kubelet.
    void run_pods() {
        for (int i = 0; i < 3; ++i) {
            const std::string host =
                cluster.at(pod_key(i), {"spec", "nodeSelector", "kubernetes.io/hostname"});
            cluster.merge(
                pod_key(i), "{'spec':{'nodeName':'node-" + host + "'},'status':{'phase':'Running'}}"
            );
        }
        cluster.settle();
    }
    /// The hosts in the assignment, each as often as it has pods.
    std::string assigned() const {
        const json::Value* workload = cluster.find(workload_key(cluster, "train"));
        const auto decoded = api::parse_slices(
            *workload->find_path({"status", "admission", "podSetAssignments"})
                 ->as_array()
                 .front()
                 .find("topologyAssignment"),
            ""
        );
        REQUIRE(decoded);
        std::string found;
        for (const api::AssignedDomain& domain : decoded->domains) {
            for (std::int64_t i = 0; i < domain.count; ++i) {
                found += domain.values.back();
            }
        }
        return found;
    }
    std::string condition(std::string_view type) const {
        return cluster.condition("team", workload_key(cluster, "train").name, type);
    }
    void set_ready(const std::string& name, bool is_ready) {
        const json::Value condition = json::Object{
            {"type", "Ready"},
            {"status", is_ready ? "True" : "False"},
            {"lastTransitionTime", api::to_value(cluster.clock.now())},
        };
        cluster.merge(
            node_key("node-" + name),
            json::print(
                json::Object{{"status", json::Object{{"conditions", json::Array{condition}}}}}
            )
        );
        cluster.settle();
    }
};

}  // namespace

TEST_CASE("pods are ungated onto the nodes of their ranks", "[controller][topology]") {
    const PlacedJob c;
    CHECK(c.assigned() == "aab");
    CHECK(c.hosts() == "aab");
}

TEST_CASE("a started job's template holds its pods for their domain", "[controller][topology]") {
    const PlacedJob c;
    const json::Value* gates = c.cluster.find(job_key("train"))
                                   ->find_path({"spec", "template", "spec", "schedulingGates"});
    REQUIRE(gates != nullptr);
    REQUIRE(gates->as_array().size() == 1);
    CHECK(gates->as_array().front().string_at("name") == api::scheduling_gate::kTopology);
}

TEST_CASE("a stopped job's template loses the topology gate", "[controller][topology]") {
    PlacedJob c;
    c.cluster.merge(workload_key(c.cluster, "train"), "{'spec':{'active':false}}");
    c.cluster.settle();
    REQUIRE_FALSE(is_running(c.cluster, "train"));
    CHECK(
        c.cluster.find(job_key("train"))
            ->find_path({"spec", "template", "spec", "schedulingGates"}) == nullptr
    );
}

TEST_CASE("no pod is ungated beyond the assignment", "[controller][topology]") {
    PlacedJob c;
    c.cluster.put(
        "{'kind':'Pod','metadata':{'name':'p9','namespace':'team','labels':{"
        "'kueue.x-k8s.io/podset':'main'},'annotations':{'kueue.x-k8s.io/workload':'" +
        workload_key(c.cluster, "train").name +
        "'}},'spec':{'containers':[],'schedulingGates':[{'name':'kueue.x-k8s.io/topology'}]},"
        "'status':{'phase':'Pending'}}"
    );
    c.cluster.settle();
    CHECK(
        c.cluster.find({kind_of<api::Pod>(), "team", "p9"})
            ->find_path({"spec", "schedulingGates"}) != nullptr
    );
    CHECK(c.hosts() == "aab");
}

TEST_CASE("a deleted node is replaced under a running gang", "[controller][topology]") {
    PlacedJob c;
    c.run_pods();
    c.cluster.remove(node_key("node-b"));
    c.cluster.settle();
    CHECK(c.assigned() == "aac");
    CHECK(c.condition("Admitted") == "True/Admitted");
    // The pod that was lost with the node comes again.
    c.cluster.remove(PlacedJob::pod_key(2));
    c.put_pod(2);
    c.cluster.settle();
    CHECK(c.hosts() == "aac");
}

TEST_CASE("a node that is not ready is replaced once its pods end", "[controller][topology]") {
    PlacedJob c;
    c.run_pods();
    c.set_ready("b", false);
    CHECK(c.assigned() == "aab");
    c.cluster.clock.advance(std::chrono::minutes(5));
    c.cluster.settle();
    CHECK(c.assigned() == "aab");
    c.cluster.merge(PlacedJob::pod_key(2), "{'status':{'phase':'Failed'}}");
    c.cluster.settle();
    CHECK(c.assigned() == "aac");
}

TEST_CASE("a node that becomes ready again is kept", "[controller][topology]") {
    PlacedJob c;
    c.run_pods();
    c.set_ready("b", false);
    c.set_ready("b", true);
    c.cluster.merge(PlacedJob::pod_key(2), "{'status':{'phase':'Failed'}}");
    c.cluster.settle();
    CHECK(c.assigned() == "aab");
}

TEST_CASE("without pod termination a node is replaced after half a minute", "[controller]") {
    Settings settings;
    settings.node_failure_gates.on_pod_termination = false;
    PlacedJob c("abc", settings);
    c.run_pods();
    c.set_ready("b", false);
    c.cluster.settle(std::chrono::seconds(20));
    CHECK(c.assigned() == "aab");
    c.cluster.settle(std::chrono::seconds(35));
    CHECK(c.assigned() == "aac");
}

TEST_CASE("with the gate off a failed node is left alone", "[controller][topology]") {
    Settings settings;
    settings.node_failure_gates.replacement = false;
    PlacedJob c("abc", settings);
    c.run_pods();
    c.cluster.remove(node_key("node-b"));
    c.cluster.settle();
    CHECK(c.assigned() == "aab");
}

TEST_CASE("a tainted node is replaced once its pods are gone", "[controller][topology]") {
    PlacedJob c;
    c.run_pods();
    c.cluster.merge(node_key("node-b"), kTaint);
    c.cluster.settle();
    CHECK(c.assigned() == "aab");
    c.cluster.remove(PlacedJob::pod_key(2));
    c.cluster.settle();
    CHECK(c.assigned() == "aac");
}

TEST_CASE(
    "a taint that pods tolerate for a time fails a node that they had to leave", "[controller]"
) {
    PlacedJob c("abc", {}, {}, "{'key':'k','operator':'Exists','tolerationSeconds':60}");
    const auto is_taken = GENERATE(false, true);
    c.cluster.merge(node_key("node-b"), kTaint);
    c.cluster.settle();
    // Pods may start there, and nothing says that they had to leave.
    CHECK(c.assigned() == "aab");
    CHECK(c.cluster.at(PlacedJob::pod_key(2), {"status", "phase"}) == "Pending");
    c.run_pods();
    CHECK(c.assigned() == "aab");
    if (is_taken) {
        c.cluster.merge(
            PlacedJob::pod_key(2),
            "{'metadata':{'finalizers':['example.com/wait'],'deletionTimestamp':"
            "'2026-01-01T00:00:00Z'}}"
        );
        c.cluster.settle();
    }
    const bool is_marked = std::ranges::any_of(c.cluster.writes, [](const Write& write) {
        return json::print(write.body).find(R"("unhealthyNodes":[{"name":"b"}])") !=
               std::string::npos;
    });
    CHECK(is_marked == is_taken);
}

TEST_CASE("an assignment with too few values names no host", "[controller][topology]") {
    PlacedJob c;
    const ObjectKey key = workload_key(c.cluster, "train");
    json::Value status = *c.cluster.find(key)->find("status");
    json::Value& assignment =
        status.find("admission")->find("podSetAssignments")->as_array().front();
    assignment.find("topologyAssignment")
        ->set("levels", json::Array{"block", "rack", "kubernetes.io/hostname"});
    c.cluster.merge(key, json::print(json::Object{{"status", status}}));
    c.cluster.settle();
    CHECK(c.condition("Admitted") == "True/Admitted");
    const json::Value* left = c.cluster.find(key)->find_path({"status", "unhealthyNodes"});
    CHECK((left == nullptr || left->as_array().empty()));
}

TEST_CASE("nothing has failed while pods are not known", "[controller][topology]") {
    PlacedJob c;
    c.run_pods();
    auto& stores = c.cluster.controller().stores;
    stores.find(kind_of<api::Pod>())->drop();
    c.set_ready("b", false);
    CHECK(c.assigned() == "aab");
}

TEST_CASE("two nodes that fail at once evict the workload", "[controller][topology]") {
    PlacedJob c;
    c.run_pods();
    c.cluster.late.insert(kind_of<api::Workload>());
    c.cluster.remove(node_key("node-a"));
    c.cluster.remove(node_key("node-b"));
    c.cluster.settle();
    CHECK(c.condition("Evicted") == "True/NodeFailures");
    CHECK(has_event(
        c.cluster,
        "EvictedDueToNodeFailures",
        "Workload eviction triggered due to multiple TAS assigned node failures, including: a, b"
    ));
}

TEST_CASE("a node that nothing replaces is reported while it is tried again", "[controller]") {
    engine::Options options;
    options.gates.tas_replacement_fail_fast = false;
    options.second_pass_delay = std::chrono::seconds(1);
    PlacedJob c("ab", {}, options);
    c.run_pods();
    c.cluster.remove(node_key("node-b"));
    c.cluster.settle();
    CHECK(c.assigned() == "aab");
    CHECK(c.condition("Admitted") == "True/Admitted");
    CHECK(has_event(
        c.cluster,
        "SecondPassFailed",
        "couldn't assign flavors to pod set main: topology \"t\" doesn't allow to fit any of 1 "
        "pod(s). "
        "Total nodes: 1; excluded: resource \"cpu\": 1"
    ));
    // It is tried after 1 and 2 seconds; the next time is later than settle() waits.
    CHECK(std::ranges::count_if(c.cluster.events, [](const EventNote& event) {
              return event.reason == "SecondPassFailed";
          }) <= 3);
}

TEST_CASE("a pod that waits for a replaced node is failed", "[controller][topology]") {
    PlacedJob c;
    c.cluster.remove(node_key("node-b"));
    c.cluster.settle();
    CHECK(c.assigned() == "aac");
    CHECK(c.cluster.at(PlacedJob::pod_key(2), {"status", "phase"}) == "Failed");
    CHECK(c.cluster.at(PlacedJob::pod_key(0), {"status", "phase"}) == "Pending");
    CHECK(has_event(
        c.cluster,
        "PodTerminatedByKueue",
        "Pod terminated by Kueue NodeController due to node taint"
    ));
}

TEST_CASE("a pod that no admission sent to its host is failed", "[controller][topology]") {
    PlacedJob c;
    c.cluster.put(
        "{'kind':'Workload','metadata':{'name':'waits','namespace':'team'},'spec':{'queueName':"
        "'none','active':true,'podSets':[{'name':'main','count':1,'template':{'spec':{"
        "'containers':[]}}}]}}"
    );
    const auto put_pod = [&c](const char* name, const char* annotation) {
        c.cluster.put(fmt::format(
            "{{'kind':'Pod','metadata':{{'name':'{}','namespace':'team','annotations':{{"
            "'kueue.x-k8s.io/workload':'waits'{}}}}},'spec':{{'containers':[],'nodeSelector':{{"
            "'kubernetes.io/hostname':'a'}}}},'status':{{'phase':'Pending'}}}}",
            name,
            annotation
        ));
    };
    put_pod("stray", ",'kueue.x-k8s.io/podset-unconstrained-topology':'true'");
    put_pod("pinned", "");
    c.cluster.settle();
    CHECK(c.cluster.at({kind_of<api::Pod>(), "team", "stray"}, {"status", "phase"}) == "Failed");
    CHECK(c.cluster.at({kind_of<api::Pod>(), "team", "pinned"}, {"status", "phase"}) == "Pending");
}

TEST_CASE("an unhealthy node that is fine is taken off the list", "[controller][topology]") {
    PlacedJob c;
    c.run_pods();
    const ObjectKey key = workload_key(c.cluster, "train");
    c.cluster.merge(key, "{'status':{'unhealthyNodes':[{'name':'b'}]}}");
    c.cluster.settle();
    CHECK(c.assigned() == "aab");
    const json::Value* left = c.cluster.find(key)->find_path({"status", "unhealthyNodes"});
    CHECK((left == nullptr || left->as_array().empty()));
}

namespace {

/// A Workload with one pod set of `count` pods, and the hosts of its pods.
struct Placement {
    api::Workload workload;
    api::DomainAssignment domains{.levels = {"kubernetes.io/hostname"}, .domains = {}};
    Pods pods;

    Placement(std::int32_t count, const std::map<std::string, std::int64_t>& hosts) {
        api::PodSet pod_set;
        pod_set.name = "main";
        pod_set.count = count;
        pod_set.topology_request.emplace().pod_index_label = "index";
        workload.spec.pod_sets.push_back(pod_set);
        api::PodSetAssignment assignment;
        assignment.name = "main";
        assignment.count = count;
        workload.status.admission.emplace().pod_set_assignments.push_back(assignment);
        for (const auto& [host, pods_there] : hosts) {
            domains.domains.push_back({.values = {host}, .count = pods_there});
        }
    }
    api::PodSetTopologyRequest& request() {
        return *workload.spec.pod_sets.front().topology_request;
    }
    /// Adds a gated pod or, with a host, a running one.
    Placement& add(
        const std::string& index, const std::string& host = "", const std::string& group = ""
    ) {
        auto pod = std::make_shared<api::Pod>();
        pod->metadata.name = "p" + std::to_string(pods.size());
        if (!index.empty()) {
            pod->metadata.labels["index"] = index;
        }
        if (!group.empty()) {
            pod->metadata.labels["group"] = group;
        }
        if (host.empty()) {
            pod->spec.scheduling_gates.push_back({.name = api::scheduling_gate::kTopology});
        } else {
            pod->spec.node_selector["kubernetes.io/hostname"] = host;
        }
        pods.push_back(std::move(pod));
        return *this;
    }
    /// Example: p0:a p1:b
    std::string places() const {
        std::string text;
        const auto& assignment = workload.status.admission->pod_set_assignments.front();
        for (const PlacedPod& placed : place_pods(workload, assignment, domains, pods)) {
            text += (text.empty() ? "" : " ") + placed.pod->metadata.name + ":" +
                    domains.domains[placed.domain].values.front();
        }
        return text;
    }
};

}  // namespace

TEST_CASE("ranks decide on domains, whatever the order of pods", "[controller][topology]") {
    CHECK(
        Placement(3, {{"a", 2}, {"b", 1}}).add("2").add("0").add("1").places() == "p0:b p1:a p2:a"
    );
}

TEST_CASE("pods fill domains in order where ranks cannot be used", "[controller][topology]") {
    const std::map<std::string, std::int64_t> hosts{{"a", 2}, {"b", 1}};
    const std::string in_order = "p0:a p1:a p2:b";
    CHECK(Placement(3, hosts).add("2").add("0").add("").places() == in_order);
    CHECK(Placement(3, hosts).add("2").add("0").add("x").places() == in_order);
    CHECK(Placement(3, hosts).add("2").add("0").add("0").places() == in_order);
    CHECK(Placement(3, hosts).add("2").add("0").add("3").places() == in_order);
    CHECK(Placement(3, hosts).add("2").add("0").add("-1").places() == in_order);
    // Fewer places than pods: slices that do not divide the count.
    CHECK(Placement(4, hosts).add("2").add("0").add("3").places() == in_order);
    Placement without_label(3, hosts);
    without_label.request().pod_index_label.reset();
    CHECK(without_label.add("2").add("0").add("1").places() == in_order);
}

TEST_CASE("a running pod keeps its place from others", "[controller][topology]") {
    const std::map<std::string, std::int64_t> hosts{{"a", 2}, {"b", 1}};
    CHECK(Placement(3, hosts).add("0", "a").add("1").add("2").places() == "p1:a p2:b");
    // It runs elsewhere than its rank says: the ranks are given up.
    CHECK(Placement(3, hosts).add("0", "b").add("1").add("2").places() == "p1:a p2:a");
    // It runs where nothing is assigned any more, and leaves all places to others.
    CHECK(Placement(3, hosts).add("0", "z").add("1").add("2").places() == "p1:a p2:a");
    CHECK(Placement(1, {{"a", 1}}).add("0", "a").add("1").places().empty());
}

TEST_CASE("ranks count through sub-groups", "[controller][topology]") {
    Placement two(4, {{"a", 2}, {"b", 2}});
    two.request().sub_group_index_label = "group";
    two.request().sub_group_count = 2;
    two.add("0", "", "1").add("1", "", "0").add("0", "", "0").add("1", "", "1");
    CHECK(two.places() == "p0:b p1:a p2:a p3:b");
    two.request().sub_group_count.reset();
    CHECK(two.places() == "p0:a p1:a p2:b p3:b");
}

TEST_CASE("workers of a group follow their leader", "[controller][topology]") {
    Placement group(2, {{"a", 1}, {"b", 1}});
    group.request().pod_set_group_name = "g";
    api::PodSet leader = group.workload.spec.pod_sets.front();
    leader.name = "leader";
    leader.count = 1;
    group.workload.spec.pod_sets.insert(group.workload.spec.pod_sets.begin(), leader);
    api::PodSetAssignment assigned;
    assigned.name = "leader";
    assigned.count = 1;
    group.workload.status.admission->pod_set_assignments.push_back(assigned);
    CHECK(group.add("2").add("1").places() == "p0:b p1:a");
}

TEST_CASE("an offset shifts the ranks of a pod set", "[controller][topology]") {
    Placement shifted(2, {{"a", 1}, {"b", 1}});
    shifted.add("2").add("1");
    auto first = std::make_shared<api::Pod>(*shifted.pods.front());
    first->metadata.annotations[api::annotation::kPodIndexOffset] = "1";
    shifted.pods.front() = first;
    CHECK(shifted.places() == "p0:b p1:a");
}

}  // namespace sluice::controller
