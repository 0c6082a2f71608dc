#include "controller/commands/cluster/cluster_setup.hpp"

#include "controller/commands/cluster/virtual_cluster.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace sluice::test {

namespace {

using namespace std::chrono_literals;
using commands::VirtualCluster;

/// Pods of a Deployment that names no queue, those without gates first.
std::pair<int, int> count_pods(bool manages_all) {
    VirtualCluster::Options options;
    options.nodes = {"n: 1x cpu=8,memory=8Gi"};
    options.configuration.set("manageJobsWithoutQueueName", manages_all);
    auto cluster = VirtualCluster::make(std::move(options));
    REQUIRE(cluster);
    REQUIRE((*cluster)->start_controller());
    REQUIRE((*cluster)->apply(*json::parse(R"({
      "apiVersion": "apps/v1", "kind": "Deployment",
      "metadata": {"name": "d", "namespace": "default"},
      "spec": {
        "replicas": 2, "selector": {"matchLabels": {"app": "a"}},
        "template": {
          "metadata": {"labels": {"app": "a"}},
          "spec": {"containers": [{"name": "c", "image": "i"}]}
        }
      }
    })")));
    (*cluster)->run_for(5s);
    std::pair<int, int> made;
    for (const auto& [name, pod] : (*cluster)->state().store.objects({"", "pods"})) {
        ++(pod->find_path({"spec", "schedulingGates"}) == nullptr ? made.first : made.second);
    }
    return made;
}

}  // namespace

TEST_CASE("manageJobsWithoutQueueName holds pods of Deployments in an embedded cluster", "[dev]") {
    CHECK(count_pods(true) == std::pair(0, 2));
    CHECK(count_pods(false) == std::pair(2, 0));
}

}  // namespace sluice::test
