#include "workload/capacity/pods_beyond_nodes.hpp"

#include "support/objects.hpp"
#include "workload/capacity/capacity_words.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <deque>
#include <string>
#include <string_view>

namespace sluice::workload {
namespace {

using test::object;

/// Nodes of 8 GPUs in flavor a100, queue q with quota for everything, and one workload.
struct Cluster {
    api::ResourceFlavor flavor =
        object<api::ResourceFlavor>("metadata: {name: a100}\nspec: {nodeLabels: {gpu: a100}}");
    api::ClusterQueue queue = object<api::ClusterQueue>(
        "metadata: {name: q}\n"
        "spec:\n"
        "  resourceGroups:\n"
        "  - coveredResources: [nvidia.com/gpu]\n"
        "    flavors:\n"
        "    - {name: a100, resources: [{name: nvidia.com/gpu, nominalQuota: 1000}]}"
    );
    api::LocalQueue local_queue =
        object<api::LocalQueue>("metadata: {name: lq, namespace: team}\nspec: {clusterQueue: q}");
    std::deque<api::Node> nodes;
    std::deque<api::Pod> pods;
    api::Workload workload;

    explicit Cluster(int count) {
        for (int i = 0; i < count; ++i) {
            nodes.push_back(object<api::Node>(fmt::format(
                "metadata: {{name: n{0}, labels: {{gpu: a100, kubernetes.io/hostname: n{0}}}}}\n"
                "status:\n"
                "  allocatable: {{cpu: 96, nvidia.com/gpu: 8, pods: 110}}\n"
                "  conditions: [{{type: Ready, status: 'True'}}]",
                i
            )));
        }
    }
    void wants(
        int count, int gpus, std::string_view requests = "", std::string_view status = "{}"
    ) {
        workload = object<api::Workload>(fmt::format(
            "metadata: {{name: w, namespace: team}}\n"
            "spec:\n"
            "  queueName: lq\n"
            "  podSets:\n"
            "  - name: main\n"
            "    count: {}\n"
            "    template:\n"
            "      spec:\n"
            "        containers:\n"
            "        - {{name: c, resources: {{requests: {{nvidia.com/gpu: {} {}}}}}}}\n"
            "status: {}",
            count,
            gpus,
            requests,
            status
        ));
    }
    /// The words about the podSets that do not fit, joined by "; ".
    std::string words() const {
        CapacityInput input;
        input.flavors = {&flavor};
        input.cluster_queues = {&queue};
        input.local_queues = {&local_queue};
        for (const auto& node : nodes) {
            input.nodes.push_back(&node);
        }
        for (const auto& pod : pods) {
            input.pods.push_back(&pod);
        }
        input.workloads = {&workload};
        input.known_resources = {"cpu", "nvidia.com/gpu", "pods"};
        std::string text;
        for (const auto& found : find_pods_beyond_nodes(input)) {
            text += (text.empty() ? "" : "; ") + beyond_nodes_words(found);
        }
        return text;
    }
};

}  // namespace

TEST_CASE("pods that no nodes could hold are found, whole pods only", "[workload][beyond_nodes]") {
    Cluster cluster(5);
    cluster.wants(8, 8);
    CHECK(cluster.words() == "needs 8 x 8 nvidia.com/gpu on one node each; nodes have 5 such");
    cluster.wants(5, 8);
    CHECK(cluster.words().empty());
    cluster.wants(6, 5);
    CHECK(cluster.words() == "needs 6 x 5 nvidia.com/gpu on one node each; nodes have 5 such");
    cluster.wants(40, 1);
    CHECK(cluster.words().empty());
}

TEST_CASE(
    "pods outside quota take room, and a resource that no node has had does not count",
    "[workload][beyond_nodes]"
) {
    Cluster cluster(2);
    cluster.wants(2, 8, ", example.com/licence: 1");
    CHECK(cluster.words().empty());
    cluster.pods.push_back(
        object<api::Pod>("metadata: {name: stray, namespace: x}\n"
                         "spec: {nodeName: n0, containers: [{name: c, resources: {requests: "
                         "{nvidia.com/gpu: 1}}}]}\n"
                         "status: {phase: Running}")
    );
    CHECK(cluster.words() == "needs 2 x 8 nvidia.com/gpu on one node each; nodes have 1 such");
}

TEST_CASE(
    "an admitted workload is compared with the flavors that it got", "[workload][beyond_nodes]"
) {
    Cluster cluster(2);
    cluster.wants(
        3,
        8,
        "",
        "{conditions: [{type: QuotaReserved, status: 'True'}], admission: {clusterQueue: q, "
        "podSetAssignments: [{name: main, count: 3, flavors: {nvidia.com/gpu: a100}}]}}"
    );
    CHECK(cluster.words() == "needs 3 x 8 nvidia.com/gpu on one node each; nodes have 2 such");
    cluster.workload.spec.active = false;
    CHECK(cluster.words().empty());
}

}  // namespace sluice::workload
