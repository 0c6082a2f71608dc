#include "workload/translation/node_pods.hpp"

#include "api/kueue/workload.hpp"
#include "support/objects.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace sluice::workload {
namespace {

/// A pod of podSet "main" of Workload ns/w, or one outside quota.
api::Pod pod(
    std::string_view name,
    std::string_view node,
    bool is_owned = true,
    std::string_view metadata = "",
    std::string_view phase = "Running"
) {
    return test::object<api::Pod>(fmt::format(
        "metadata: {{name: {0}, namespace: ns, {1} {2}}}\n"
        "spec: {{nodeName: '{3}', containers: [{{name: c, resources: {{requests: {{gpu: "
        "4}}}}}}]}}\n"
        "status: {{phase: {4}}}",
        name,
        is_owned ? "annotations: {kueue.x-k8s.io/workload: w}, labels: {kueue.x-k8s.io/podset: "
                   "main},"
                 : "",
        metadata,
        node,
        phase
    ));
}

std::int64_t gpus(const std::map<std::string, engine::Amount>& sums) {
    const auto at = sums.find("gpu");
    return at == sums.end() ? 0 : at->second.value();
}

}  // namespace

TEST_CASE(
    "pods of workloads that claim them are counted, others are only taken", "[workload][node_pods]"
) {
    NodePods pods;
    pods.set(pod("a", "n"));
    pods.set(pod("b", "n"));
    pods.set(pod("stray", "n", false));
    CHECK(gpus(pods.find("n")->taken) == 12);
    CHECK(gpus(pods.find("n")->counted) == 0);
    const auto claimed = pods.claim("ns/w", "ns/w", {"main"});
    CHECK(claimed.nodes == std::set<std::string>{"n"});
    CHECK(claimed.workloads == std::set<std::string>{"ns/w"});
    CHECK(gpus(pods.find("n")->counted) == 8);
    CHECK(pods.running("ns/w").at("main").at("n") == 2);
    CHECK(pods.claim("ns/w", "ns/w", {"main"}).nodes.empty());
    pods.set(pod("c", "m"));
    CHECK(gpus(pods.find("m")->counted) == 4);
    CHECK(pods.owners_on("m") == std::set<std::string>{"ns/w"});
    // Its pods are about to end, until they say more.
    pods.release("ns/w");
    CHECK(gpus(pods.find("n")->counted) == 8);
    CHECK(pods.claimants("ns/w").empty());
    pods.set(pod("a", "n"));
    pods.set(pod("b", "n"));
    CHECK(gpus(pods.find("n")->counted) == 0);
}

TEST_CASE("pods that end give back what they took", "[workload][node_pods]") {
    NodePods pods;
    pods.claim("ns/w", "ns/w", {"main"});
    CHECK(pods.set(pod("a", "")).nodes.empty());
    pods.set(pod("a", "n"));
    CHECK(pods.set(pod("a", "n")).nodes.empty());
    pods.set(pod("a", "m"));
    CHECK(pods.find("n") == nullptr);
    pods.set(pod("a", "m", true, "", "Failed"));
    CHECK(pods.find("m") == nullptr);
    CHECK(pods.running("ns/w").empty());
    CHECK(pods.remove("ns", "a").nodes.empty());
}

TEST_CASE(
    "pods in quota that are being deleted are about to give back their room",
    "[workload][node_pods]"
) {
    NodePods pods;
    pods.set(pod("a", "n"));
    CHECK(gpus(pods.find("n")->counted) == 0);
    pods.set(pod("a", "n", true, "deletionTimestamp: '2026-01-01T00:00:00Z'"));
    CHECK(gpus(pods.find("n")->counted) == 4);
    pods.set(pod("stray", "n", false, "deletionTimestamp: '2026-01-01T00:00:00Z'"));
    CHECK(gpus(pods.find("n")->counted) == 4);
    CHECK(gpus(pods.find("n")->taken) == 8);
    CHECK(pods.running("ns/w").empty());
}

TEST_CASE("pods of an elastic job belong to all its slices", "[workload][node_pods]") {
    const auto slice = test::object<api::Workload>(
        "metadata: {name: w-2, namespace: ns, annotations: {kueue.x-k8s.io/workload-slice-name: w}}"
    );
    CHECK(owner_key(slice.metadata) == "ns/w");
    NodePods pods;
    pods.set(pod("a", "n"));
    pods.claim("ns/w", "ns/w", {"main"});
    pods.claim("ns/w", "ns/w-2", {"main"});
    CHECK(pods.claimants("ns/w").size() == 2);
    pods.release("ns/w");
    CHECK(gpus(pods.find("n")->counted) == 4);
    pods.release("ns/w-2");
    pods.set(pod("a", "n"));
    CHECK(gpus(pods.find("n")->counted) == 0);
}

}  // namespace sluice::workload
