#include "workload/capacity/assignment_faults.hpp"

#include "support/objects.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace sluice::workload {
namespace {

using test::object;

/// The words about a Workload of 4 pods whose assignment has these levels and slices.
std::string words_of(
    std::string_view levels,
    std::string_view slices,
    std::string_view request = "{}",
    std::string_view metadata = ""
) {
    const auto flavor =
        object<api::ResourceFlavor>("metadata: {name: f}\nspec: {topologyName: racks}");
    const auto topology = object<api::Topology>(
        "metadata: {name: racks}\n"
        "spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}"
    );
    const auto workload = object<api::Workload>(fmt::format(
        "metadata: {{name: w, namespace: team{}}}\n"
        "spec: {{podSets: [{{name: main, count: 4, topologyRequest: {},\n"
        "  template: {{spec: {{containers: [{{name: c}}]}}}}}}]}}\n"
        "status:\n"
        "  conditions: [{{type: QuotaReserved, status: 'True', reason: r, message: m}}]\n"
        "  admission:\n"
        "    clusterQueue: q\n"
        "    podSetAssignments:\n"
        "    - {{name: main, count: 4, flavors: {{cpu: f}},\n"
        "       topologyAssignment: {{levels: [{}], slices: {}}}}}",
        metadata,
        request,
        levels,
        slices
    ));
    CapacityInput input;
    input.flavors = {&flavor};
    input.topologies = {&topology};
    input.workloads = {&workload};
    const auto found = find_assignment_faults(input);
    CHECK((found.empty() || found.front().workload == "team/w"));
    return found.empty() ? "" : found.front().words;
}

std::string hosts(std::string_view counts) {
    return fmt::format(
        "[{{domainCount: 2, valuesPerLevel: [{{individual: {{roots: [a, b]}}}}],"
        " podCounts: {{individual: [{}]}}}}]",
        counts
    );
}

constexpr std::string_view kHost = "kubernetes.io/hostname";

}  // namespace

TEST_CASE("an assignment of all pods has no fault", "[capacity]") {
    CHECK(words_of(kHost, hosts("3, 1")).empty());
    CHECK(words_of("rack, kubernetes.io/hostname", "[]") != "");
}

TEST_CASE("pods without a domain are counted, with the reason", "[capacity]") {
    CHECK(
        words_of(kHost, hosts("2, 1"), "{podSetSliceRequiredTopology: rack, podSetSliceSize: 3}") ==
        "main: 1 of 4 pods stay gated, because the topologyAssignment has no domain for them: "
        "slices of 3 pods do not divide 4"
    );
    CHECK(
        words_of(kHost, "[]") ==
        "main: 4 of 4 pods stay gated, because the topologyAssignment has no domain for them"
    );
}

TEST_CASE("an assignment of more pods than there are is a fault", "[capacity]") {
    CHECK(
        words_of(kHost, hosts("2147483647, 2147483647")) ==
        "main: its topologyAssignment is for 4294967294 pods, and it has 4"
    );
    CHECK(
        words_of(
            kHost, hosts("4, 4"), "{}", ", annotations: {kueue.x-k8s.io/elastic-job: 'true'}"
        ) == ""
    );
}

TEST_CASE("levels that the topology does not end with are a fault", "[capacity]") {
    CHECK(
        words_of("zone", hosts("3, 1")) ==
        "main: its topologyAssignment is for the levels [zone], and topology \"racks\" ends with "
        "kubernetes.io/hostname"
    );
}

TEST_CASE("a rack that no node is in is a fault", "[capacity]") {
    const auto flavor =
        object<api::ResourceFlavor>("metadata: {name: f}\nspec: {topologyName: racks}");
    const auto topology =
        object<api::Topology>("metadata: {name: racks}\nspec: {levels: [{nodeLabel: rack}]}");
    const auto node = object<api::Node>("metadata: {name: n1, labels: {rack: a}}");
    const auto workload = object<api::Workload>(
        "metadata: {name: w, namespace: team}\n"
        "spec: {podSets: [{name: main, count: 3, template: {spec: {containers: [{name: c}]}}}]}\n"
        "status:\n"
        "  conditions: [{type: QuotaReserved, status: 'True', reason: r, message: m}]\n"
        "  admission:\n"
        "    clusterQueue: q\n"
        "    podSetAssignments:\n"
        "    - {name: main, flavors: {cpu: f}, topologyAssignment: {levels: [rack], slices: [\n"
        "       {domainCount: 2, valuesPerLevel: [{individual: {roots: [a, b]}}],\n"
        "        podCounts: {individual: [2, 1]}}]}}"
    );
    CapacityInput input;
    input.flavors = {&flavor};
    input.topologies = {&topology};
    input.nodes = {&node};
    input.workloads = {&workload};
    const auto found = find_assignment_faults(input);
    REQUIRE(found.size() == 1);
    CHECK(found.front().words == "main: its topologyAssignment is for b, which no node is in");
}

}  // namespace sluice::workload
