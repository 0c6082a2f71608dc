#include "base/prng.hpp"
#include "support/objects.hpp"
#include "workload/capacity/capacity_report.hpp"
#include "workload/capacity/capacity_words.hpp"
#include "workload/capacity/flavor_growth.hpp"
#include "workload/capacity/pod_packing.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::workload {
namespace {

using engine::Amount;
using test::object;

/// The objects of a cluster, made from texts.
struct Cluster {
    std::deque<api::ResourceFlavor> flavors;
    std::deque<api::Topology> topologies;
    std::deque<api::Node> nodes;
    std::deque<api::Pod> pods;
    std::deque<api::ClusterQueue> cluster_queues;
    std::deque<api::Cohort> cohorts;
    std::deque<api::LocalQueue> local_queues;
    std::deque<api::Workload> workloads;
    std::optional<Amounts> gang_pod;
    std::set<std::string> known_resources;

    void flavor(const std::string& name, std::string_view rest) {
        flavors.push_back(
            object<api::ResourceFlavor>(fmt::format("metadata: {{name: {}}}\n{}", name, rest))
        );
    }
    /// A Ready node of 8 GPUs and 110 pods. `labels`: besides `gpu: a100`.
    void node(
        const std::string& name,
        std::string_view labels = "",
        std::string_view spec = "{}",
        std::string_view ready = "True"
    ) {
        nodes.push_back(object<api::Node>(fmt::format(
            "metadata: {{name: {0}, labels: {{gpu: a100, kubernetes.io/hostname: {0}, {1}}}}}\n"
            "spec: {2}\n"
            "status:\n"
            "  allocatable: {{cpu: 96, nvidia.com/gpu: 8, pods: 110}}\n"
            "  conditions: [{{type: Ready, status: '{3}'}}]",
            name,
            labels,
            spec,
            ready
        )));
    }
    void queue(const std::string& name, std::string_view cohort, std::string_view quota) {
        cluster_queues.push_back(object<api::ClusterQueue>(fmt::format(
            "metadata: {{name: {0}}}\n"
            "spec:\n"
            "  cohortName: '{1}'\n"
            "  resourceGroups:\n"
            "  - coveredResources: [nvidia.com/gpu]\n"
            "    flavors:\n"
            "    - {{name: a100, resources: [{{name: nvidia.com/gpu, nominalQuota: {2}}}]}}",
            name,
            cohort,
            quota
        )));
        local_queues.push_back(object<api::LocalQueue>(fmt::format(
            "metadata: {{name: {0}, namespace: team}}\nspec: {{clusterQueue: {0}}}", name
        )));
    }
    /// `metadata`: besides name and namespace.
    void pod(std::string_view node, int gpus, std::string_view metadata = "") {
        pods.push_back(object<api::Pod>(fmt::format(
            "metadata: {{name: pod-{0}, namespace: team, {1}}}\n"
            "spec:\n"
            "  nodeName: {2}\n"
            "  containers: [{{name: c, resources: {{requests: {{nvidia.com/gpu: {3}}}}}}}]\n"
            "status: {{phase: Running}}",
            pods.size(),
            metadata,
            node,
            gpus
        )));
    }
    void workload(const std::string& name, int pods_wanted, int gpus, bool is_admitted) {
        const std::string status = fmt::format(
            "status:\n"
            "  conditions: [{{type: QuotaReserved, status: 'True'}}]\n"
            "  admission:\n"
            "    clusterQueue: q\n"
            "    podSetAssignments:\n"
            "    - name: main\n"
            "      count: {0}\n"
            "      flavors: {{nvidia.com/gpu: a100}}\n"
            "      resourceUsage: {{nvidia.com/gpu: {1}}}\n",
            pods_wanted,
            pods_wanted * gpus
        );
        workloads.push_back(object<api::Workload>(fmt::format(
            "metadata: {{name: {0}, namespace: team}}\n"
            "spec:\n"
            "  queueName: q\n"
            "  podSets:\n"
            "  - name: main\n"
            "    count: {1}\n"
            "    template:\n"
            "      spec:\n"
            "        containers: [{{name: c, resources: {{requests: {{nvidia.com/gpu: {2}}}}}}}]\n"
            "{3}",
            name,
            pods_wanted,
            gpus,
            is_admitted ? status : ""
        )));
    }

    template <class T>
    static std::vector<const T*> pointers(const std::deque<T>& objects) {
        std::vector<const T*> made;
        for (const T& each : objects) {
            made.push_back(&each);
        }
        return made;
    }
    CapacityReport report() const {
        return make_capacity_report({
            .flavors = pointers(flavors),
            .topologies = pointers(topologies),
            .nodes = pointers(nodes),
            .pods = pointers(pods),
            .cluster_queues = pointers(cluster_queues),
            .cohorts = pointers(cohorts),
            .local_queues = pointers(local_queues),
            .workloads = pointers(workloads),
            .gang_pod = gang_pod,
            .counts_gangs = true,
            .known_resources = known_resources,
        });
    }
    /// The only row.
    FlavorCapacity row() const {
        const auto made = report();
        REQUIRE(made.flavors.size() == 1);
        return made.flavors.front();
    }
};

constexpr std::string_view kA100 = "spec: {nodeLabels: {gpu: a100}}";

Cluster a_cluster(int nodes, std::string_view quota) {
    Cluster made;
    made.flavor("a100", kA100);
    for (int i = 1; i <= nodes; ++i) {
        made.node(fmt::format("gpu-{}", i));
    }
    made.queue("q", "", quota);
    return made;
}

std::string gangs(const FlavorCapacity& row) {
    std::string text;
    for (const auto& gang : row.gangs) {
        text += fmt::format("{}={}@{} ", gang.level, gang.pods, gang.domain);
    }
    return text;
}

}  // namespace

TEST_CASE("quota is compared with nodes where pods may start", "[workload][capacity]") {
    Cluster cluster = a_cluster(2, "64");
    cluster.node("gone", "", "{}", "False");
    cluster.node("drained", "", "{unschedulable: true}");
    cluster.node("tainted", "", "{taints: [{key: team, value: x, effect: NoSchedule}]}");
    cluster.node("gpu-tainted", "", "{taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}");
    cluster.pod("gpu-1", 3);
    cluster.pod("gone", 2);
    const auto row = cluster.row();
    CHECK(row.quota == Amount(64));
    CHECK(row.nodes == Amount(48));
    CHECK(row.usable == Amount(24));
    CHECK(row.foreign == Amount(3));
    CHECK(row.free == Amount(21));
    CHECK(row.largest_free == Amount(8));
    CHECK(
        verdict_of(row) ==
        "43 of quota without a node: 16 more than all nodes have, 8 on drained (cordoned), 8 on "
        "gone (NotReady), 8 on tainted (team=x:NoSchedule), 3 used by others"
    );
}

TEST_CASE("a flavor's taints and tolerations are its pods' too", "[workload][capacity]") {
    Cluster cluster;
    cluster.flavor(
        "a100",
        "spec:\n"
        "  nodeLabels: {gpu: a100}\n"
        "  nodeTaints: [{key: own, value: mine, effect: NoSchedule}]\n"
        "  tolerations: [{key: spot, operator: Exists}]"
    );
    cluster.node("one", "", "{taints: [{key: own, value: mine, effect: NoSchedule}]}");
    cluster.node("two", "", "{taints: [{key: spot, effect: NoExecute}]}");
    cluster.queue("q", "", "16");
    const auto row = cluster.row();
    CHECK(row.usable == Amount(16));
    CHECK(verdict_of(row) == "nodes have all of it");
}

TEST_CASE("each queue and cohort with more quota than nodes is named", "[workload][capacity]") {
    Cluster cluster = a_cluster(2, "20");
    cluster.queue("small", "left", "10");
    cluster.cohorts.push_back(
        object<api::Cohort>("metadata: {name: left}\nspec: {parentName: right}")
    );
    // A cycle of parents neither hangs nor hides the sum.
    cluster.cohorts.push_back(
        object<api::Cohort>("metadata: {name: right}\nspec: {parentName: left, resourceGroups: "
                            "[{coveredResources: [nvidia.com/gpu], flavors: [{name: a100, "
                            "resources: [{name: nvidia.com/gpu, nominalQuota: 7}]}]}]}")
    );
    std::string named;
    for (const auto& excess : cluster.report().excesses) {
        named += fmt::format(
            "{}{}: {}; ", excess.is_cohort ? "cohort " : "", excess.name, excess_words(excess)
        );
    }
    CHECK(
        named ==
        "q: quota 20, but the nodes of flavor a100 can give 16; "
        "cohort left: quota 17, but the nodes of flavor a100 can give 16; "
        "cohort right: quota 17, but the nodes of flavor a100 can give 16; "
    );
}

TEST_CASE("pods of admitted workloads take room once", "[workload][capacity]") {
    Cluster cluster = a_cluster(2, "16");
    cluster.workload("w", 3, 4, true);
    SECTION("before any has a node") {}
    SECTION("with a node, named by the annotation") {
        cluster.pod(
            "gpu-2",
            4,
            "annotations: {kueue.x-k8s.io/workload: w}, labels: {kueue.x-k8s.io/podset: main}"
        );
    }
    SECTION("with a node, known by queue and requests") {
        cluster.pod("gpu-2", 4, "labels: {kueue.x-k8s.io/cluster-queue-name: q}");
    }
    const auto row = cluster.row();
    CHECK(row.used == Amount(12));
    CHECK(row.foreign == Amount(0));
    CHECK(row.free == Amount(4));
    CHECK(row.fragmented == Amount(4));
}

TEST_CASE("pods that end and evicted workloads take no new room", "[workload][capacity]") {
    Cluster cluster = a_cluster(1, "8");
    cluster.pod("gpu-1", 4);
    cluster.pods.back().status.phase = "Succeeded";
    cluster.workload("w", 1, 8, true);
    cluster.workloads.back().status.conditions.push_back({.type_ = "Evicted", .status = "True"});
    const auto row = cluster.row();
    CHECK(row.used == Amount(8));
    CHECK(row.free == Amount(8));
}

TEST_CASE("pods that find no room on single nodes are told with numbers", "[workload][capacity]") {
    Cluster cluster = a_cluster(5, "64");
    cluster.workload("running", 4, 4, true);  // two nodes
    cluster.workload("gang", 8, 8, false);
    cluster.workload("big", 1, 9, false);
    cluster.workload("fits", 3, 8, false);
    const auto report = cluster.report();
    REQUIRE(report.unplaceable.size() == 2);
    CHECK(
        unplaceable_words(report.unplaceable[0]) ==
        "needs 8 x 8 nvidia.com/gpu on one node each; nodes have 5 such, 3 of them free"
    );
    CHECK(
        unplaceable_words(report.unplaceable[1]) ==
        "needs 1 x 9 nvidia.com/gpu on one node each; nodes have 0 such, 0 of them free"
    );
}

TEST_CASE("an admitted workload without enough nodes is told", "[workload][capacity]") {
    Cluster cluster = a_cluster(1, "64");
    cluster.workload("gang", 4, 4, true);
    const auto report = cluster.report();
    REQUIRE(report.unplaceable.size() == 1);
    CHECK(
        unplaceable_words(report.unplaceable[0]) ==
        "needs 4 x 4 nvidia.com/gpu on one node each; 2 find no node"
    );
}

TEST_CASE("gangs are counted in each level, daemons aside", "[workload][capacity]") {
    Cluster cluster;
    cluster.flavor("a100", "spec: {topologyName: racks, nodeLabels: {gpu: a100}}");
    cluster.topologies.push_back(object<api::Topology>(
        "metadata: {name: racks}\n"
        "spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}"
    ));
    cluster.node("a-1", "rack: a");
    cluster.node("a-2", "rack: a");
    cluster.node("b-1", "rack: b");
    cluster.queue("q", "", "24");
    cluster.pod("a-1", 1, "ownerReferences: [{kind: DaemonSet, name: d, controller: true}]");
    CHECK(gangs(cluster.row()) == "=3@ rack=2@a ");
    cluster.pod("a-2", 2);
    CHECK(gangs(cluster.row()) == "=2@ rack=1@a ");
    CHECK(cluster.row().fragmented == Amount(6));
    cluster.gang_pod = Amounts{{"nvidia.com/gpu", Amount(2)}};
    CHECK(gangs(cluster.row()) == "=10@ rack=6@a kubernetes.io/hostname=4@b/b-1 ");
}

TEST_CASE("a workload with a topology takes room on its hosts", "[workload][capacity]") {
    Cluster cluster = a_cluster(2, "16");
    cluster.workload("w", 2, 2, true);
    auto& assignment = cluster.workloads.back().status.admission->pod_set_assignments.front();
    assignment.topology_assignment = object<api::TopologyAssignment>(
        "levels: [kubernetes.io/hostname]\n"
        "slices: [{domainCount: 1, valuesPerLevel: [{universal: gpu-2}], podCounts: {universal: "
        "2}}]"
    );
    const auto row = cluster.row();
    CHECK(row.free == Amount(12));
    CHECK(row.largest_free == Amount(8));
    CHECK(row.fragmented == Amount(4));
}

TEST_CASE("each node gives what others leave of it, and no less than 0", "[workload][capacity]") {
    Cluster cluster = a_cluster(2, "8");
    cluster.nodes.front().status.allocatable["nvidia.com/gpu"] = api::Quantity(0);
    cluster.pod("gpu-1", 8);  // the device plugin is gone for a moment
    cluster.pod("gpu-2", 2);
    cluster.queue("borrower", "", "0");
    const auto report = cluster.report();
    REQUIRE(report.flavors.size() == 1);
    CHECK(report.flavors.front().can_give == Amount(6));
    CHECK(report.flavors.front().missing() == Amount(2));
    REQUIRE(report.excesses.size() == 1);
    CHECK(excess_words(report.excesses[0]) == "quota 8, but the nodes of flavor a100 can give 6");
}

TEST_CASE("flavors on the same nodes are compared together", "[workload][capacity]") {
    Cluster cluster = a_cluster(1, "8");
    cluster.flavor("b100", kA100);
    auto& group = cluster.cluster_queues.front().spec.resource_groups.front();
    group.flavors.push_back(group.flavors.front());
    group.flavors.back().name = "b100";
    const auto report = cluster.report();
    REQUIRE(report.flavors.size() == 2);
    CHECK(verdict_of(report.flavors[0]) == "8 of quota without a node; same nodes as b100");
    REQUIRE(report.excesses.size() == 1);
    CHECK(
        excess_words(report.excesses[0]) ==
        "quota 16, but the nodes of flavor a100, b100 can give 8"
    );
}

TEST_CASE("a flavor of all nodes hides no lack of another one", "[workload][capacity]") {
    Cluster cluster = a_cluster(1, "16");
    cluster.flavor("any", "spec: {}");
    cluster.node("other");
    cluster.nodes.back().metadata.labels["gpu"] = "h100";
    const auto report = cluster.report();
    REQUIRE(report.excesses.size() == 1);
    CHECK(excess_words(report.excesses[0]) == "quota 16, but the nodes of flavor a100 can give 8");
    CHECK(report.flavors.front().missing() == Amount(8));
}

TEST_CASE("quota of a resource that no node has had is not compared", "[workload][capacity]") {
    Cluster cluster = a_cluster(1, "16");
    for (auto& node : cluster.nodes) {
        node.status.allocatable.erase("nvidia.com/gpu");
    }
    CHECK(cluster.report().excesses.empty());
    cluster.nodes.clear();
    CHECK(cluster.report().excesses.empty());
    cluster.known_resources = {"nvidia.com/gpu"};
    CHECK(cluster.report().excesses.size() == 1);
}

TEST_CASE("quota in a cycle of cohorts counts once", "[workload][capacity]") {
    Cluster cluster = a_cluster(1, "0");
    cluster.queue("small", "right", "8");
    for (const auto* pair :
         {"{name: left}\nspec: {parentName: right}", "{name: right}\nspec: {parentName: left}"}) {
        cluster.cohorts.push_back(object<api::Cohort>(fmt::format("metadata: {}", pair)));
    }
    CHECK(cluster.row().quota == Amount(8));
}

TEST_CASE("pods without requests run on any node", "[workload][capacity]") {
    Cluster cluster = a_cluster(1, "8");
    for (const bool is_admitted : {true, false}) {
        cluster.workload(is_admitted ? "runs" : "waits", 1, 1, is_admitted);
        auto& workload = cluster.workloads.back();
        workload.spec.pod_sets.front().template_ =
            object<api::PodSet>("name: main\ntemplate: {spec: {containers: [{name: c}]}}")
                .template_;
        if (is_admitted) {
            workload.status.admission->pod_set_assignments.front().flavors.clear();
        }
    }
    CHECK(cluster.report().unplaceable.empty());
}

TEST_CASE("podSets of one workload need room beside each other", "[workload][capacity]") {
    Cluster cluster = a_cluster(1, "64");
    cluster.workload("two", 1, 8, false);
    auto& pod_sets = cluster.workloads.back().spec.pod_sets;
    pod_sets.push_back(pod_sets.front());
    pod_sets.back().name = "second";
    const auto report = cluster.report();
    REQUIRE(report.unplaceable.size() == 1);
    CHECK(report.unplaceable.front().pod_set == "second");
    CHECK(report.flavors.front().free == Amount(8));  // and takes none
}

TEST_CASE("pods of a slice that was replaced count for the next one", "[workload][capacity]") {
    Cluster cluster = a_cluster(2, "16");
    cluster.workload("w-2", 3, 4, true);
    cluster.workloads.back().metadata.annotations["kueue.x-k8s.io/workload-slice-name"] = "w-1";
    for (const char* node : {"gpu-1", "gpu-2"}) {
        cluster.pod(
            node,
            4,
            "annotations: {kueue.x-k8s.io/workload: w-1, kueue.x-k8s.io/workload-slice-name: w-1}, "
            "labels: {kueue.x-k8s.io/podset: main}"
        );
    }
    CHECK(cluster.report().unplaceable.empty());
    CHECK(cluster.row().free == Amount(4));
}

TEST_CASE("pods that are over hold no quota and take no node", "[workload][capacity]") {
    Cluster cluster = a_cluster(1, "8");
    cluster.workload("w", 4, 2, true);
    cluster.workloads.back().status.reclaimable_pods = {{.name = "main", .count = 3}};
    CHECK(cluster.row().used == Amount(2));
    CHECK(cluster.row().free == Amount(6));
}

TEST_CASE("pods with a host come before those that go anywhere", "[workload][capacity]") {
    Cluster cluster = a_cluster(2, "16");
    cluster.workload("anywhere", 1, 8, true);
    cluster.workload("bound", 1, 8, true);
    auto& assignment = cluster.workloads.back().status.admission->pod_set_assignments.front();
    assignment.topology_assignment = object<api::TopologyAssignment>(
        "levels: [kubernetes.io/hostname]\n"
        "slices: [{domainCount: 1, valuesPerLevel: [{universal: host-1}], podCounts: {universal: "
        "1}}]"
    );
    // The host's label is not the node's name.
    cluster.nodes.front().metadata.labels["kubernetes.io/hostname"] = "host-1";
    CHECK(cluster.row().free == Amount(0));
    CHECK(cluster.report().unplaceable.empty());
}

TEST_CASE("a flavor that may grow counts its broken nodes as nodes", "[workload][capacity]") {
    Cluster cluster = a_cluster(3, "32");
    cluster.node("drained", "", "{unschedulable: true}");
    cluster.node("fresh");
    cluster.nodes.back().status.allocatable.erase("nvidia.com/gpu");
    cluster.nodes.back().status.allocatable["cpu"] = api::Quantity(97);
    cluster.flavors.front().metadata.annotations["sluice.dev/may-grow-to"] = "6";
    const auto row = cluster.row();
    CHECK(row.may_come == 1);
    CHECK(row.nodes == Amount(40));
    CHECK(row.usable == Amount(32));
}

TEST_CASE("nodes that may come count, up to the number that is given", "[workload][capacity]") {
    Cluster cluster = a_cluster(1, "32");
    cluster.workload("gang", 4, 8, false);
    auto& annotations = cluster.flavors.front().metadata.annotations;
    annotations["sluice.dev/may-grow-to"] = "4";
    SECTION("like the largest node") {}
    SECTION("of a shape") {
        annotations["sluice.dev/node-shape"] = "cpu=96,memory=1Ti,nvidia.com/gpu=8";
    }
    CHECK(cluster.row().usable == Amount(32));
    CHECK(verdict_of(cluster.row()) == "nodes have all of it; 3 nodes may come");
    CHECK(cluster.report().unplaceable.empty());
}

TEST_CASE("an annotation that cannot be read is one clear error", "[workload][capacity]") {
    Cluster cluster = a_cluster(0, "8");
    auto& annotations = cluster.flavors.front().metadata.annotations;
    const auto fault = [&] {
        const auto faults = cluster.report().faults;
        REQUIRE(faults.size() == 1);
        return faults.front();
    };
    annotations["sluice.dev/may-grow-to"] = "4 nodes";
    CHECK(
        fault() ==
        "ResourceFlavor a100: annotation sluice.dev/may-grow-to: \"4 nodes\" is not a "
        "number of nodes from 0 to 5000"
    );
    annotations["sluice.dev/may-grow-to"] = "4";
    CHECK(fault().find("the size of a new node is not known") != std::string::npos);
    annotations["sluice.dev/node-shape"] = "gpu";
    CHECK(
        fault() ==
        "ResourceFlavor a100: annotation sluice.dev/node-shape: \"gpu\" is not "
        "RESOURCE=AMOUNT"
    );
    for (const char* text : {"", "cpu=", "cpu=-1", "cpu=0", "=1", "cpu=1,,", "cpu=1,cpu=2"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_amounts(text));
    }
}

TEST_CASE("packing takes whole pods and never more than a node has", "[workload][capacity]") {
    Prng random(7);
    const auto number = [&](std::int64_t max) { return random.between(0, max); };
    for (int round = 0; round < 2'000; ++round) {
        std::vector<NodeRoom> rooms(static_cast<std::size_t>(1 + number(5)));
        std::vector<NodeRoom*> to_write;
        std::int64_t room_for = 0;
        const Amounts request{{"cpu", Amount(1 + number(4))}, {"gpu", Amount(number(3))}};
        for (NodeRoom& room : rooms) {
            room.allocatable = {{"cpu", Amount(number(20))}, {"gpu", Amount(number(8))}};
            room.foreign = {{"cpu", Amount(number(6))}};
            to_write.push_back(&room);
            // One pod after the other, as a person would count.
            for (NodeRoom trial = room;; ++room_for) {
                bool fits = true;
                for (const auto& [resource, amount] : request) {
                    fits = fits && (amount == Amount() || amount <= trial.free(resource));
                }
                if (!fits) {
                    break;
                }
                add_amounts(trial.ours, request);
            }
        }
        const std::vector<const NodeRoom*> to_read(to_write.begin(), to_write.end());
        const std::int64_t wanted = number(12);
        const std::int64_t expected = std::min(wanted, room_for);
        CHECK(count_fitting(to_read, request, wanted) == expected);
        CHECK(count_placed(place_pods(to_write, request, wanted)) == expected);
        std::int64_t taken = 0;
        for (const NodeRoom& room : rooms) {
            taken += amount_of(room.ours, "cpu").value();
            CHECK((amount_of(room.ours, "cpu") == Amount() || room.free("cpu") >= Amount()));
        }
        CHECK(taken == expected * request.at("cpu").value());
    }
}

}  // namespace sluice::workload
