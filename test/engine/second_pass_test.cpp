// Holders that get a topology in a cycle after the one that gave them quota.
#include "engine/placed_cluster.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

namespace sluice::engine {
namespace {

using std::chrono::seconds;
using Outcome = SecondPassDecision::Outcome;

/// A workload of two pods whose topology waited for its checks, which are Ready now.
Workload delayed() {
    Workload made = PlacedCluster::holder("w", 1, {{.id = "", .count = 2}});
    made.reservation->second_pass = SecondPass::Delayed;
    made.reservation->pod_sets.front().domains.reset();
    made.reservation->pod_sets.front().delayed = DelayedTopology::Pending;
    return made;
}

/// A workload with two pods on n1, which has failed.
Workload on_failed_node() {
    Workload made = PlacedCluster::holder("w", 1, {{.id = "n1", .count = 2}});
    made.reservation->second_pass = SecondPass::Replacement;
    made.reservation->unhealthy_nodes = {"n1"};
    made.reservation->admitted = true;
    return made;
}

}  // namespace

TEST_CASE("a delayed topology is assigned after the delay", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n1", "a", 4);
    c.add(delayed());
    CHECK(c.cycle().second_passes.empty());
    CHECK(next_due(c.state) == c.now + seconds(1));
    c.now += seconds(1);
    const CycleResult result = c.cycle();
    REQUIRE(result.second_passes.size() == 1);
    CHECK(result.second_passes.front().outcome == Outcome::Assigned);
    CHECK(c.domains_of(result.second_passes.front().pod_sets.front()) == "n1=2");
    CHECK(c.free_on("n1") == Amount(2));
    CHECK(c.cycle().second_passes.empty());
}

TEST_CASE("attempts without room are made at growing intervals", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n1", "a", 1);
    c.add(delayed());
    for (const int delay : {1, 2, 4, 8, 16, 30, 30}) {
        CAPTURE(delay);
        REQUIRE(next_due(c.state) == c.now + seconds(delay));
        c.now += seconds(delay);
        const CycleResult result = c.cycle();
        REQUIRE(result.second_passes.size() == 1);
        CHECK(result.second_passes.front().outcome == Outcome::Failed);
    }
    c.add(delayed());  // unchanged: the attempts are not begun again
    CHECK(next_due(c.state) == c.now + seconds(30));
    c.set_node("n1", "a", 2);
    c.now += seconds(30);
    CHECK(c.cycle().second_passes.front().outcome == Outcome::Assigned);
}

TEST_CASE("pods of a failed node move, and the rest stays", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n2", "a", 4);
    c.set_node("n3", "b", 4);
    Workload holder =
        PlacedCluster::holder("w", 1, {{.id = "n1", .count = 2}, {.id = "n2", .count = 1}});
    holder.reservation->second_pass = SecondPass::Replacement;
    holder.reservation->unhealthy_nodes = {"n1"};
    c.add(holder);
    c.now += seconds(1);
    const CycleResult result = c.cycle();
    REQUIRE(result.second_passes.size() == 1);
    CHECK(c.domains_of(result.second_passes.front().pod_sets.front()) == "n2=3");
    CHECK(c.free_on("n2") == Amount(1));
}

TEST_CASE("a refused write gives the former topology back", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n2", "a", 4);
    c.add(on_failed_node());
    c.now += seconds(1);
    REQUIRE(c.cycle().second_passes.front().outcome == Outcome::Assigned);
    CHECK(c.free_on("n2") == Amount(2));
    c.tell(AdmissionFailed{.ns = "ns", .name = "w"});
    CHECK(c.free_on("n2") == Amount(4));
    CHECK(next_due(c.state) == c.now + seconds(1));
    c.now += seconds(1);
    CHECK(c.cycle().second_passes.front().outcome == Outcome::Assigned);
}

TEST_CASE("a holder that is being evicted has no second pass", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n2", "a", 2);
    c.tell(PodShapeChanged{{.id = 2}});
    ClusterQueue queue;
    queue.name = "cq";
    queue.resource_groups = {
        {.covered_resources = {"cpu"},
         .flavors = {{.flavor = "f", .quotas = {{.nominal = Amount(2)}}}}}
    };
    queue.preemption.within_cluster_queue = PreemptionPolicy::LowerPriority;
    c.tell(ClusterQueueChanged{queue});
    c.add(on_failed_node());
    Workload preemptor = PlacedCluster::workload("p", 2, 1);
    preemptor.priority = 1;
    c.add(preemptor);
    REQUIRE(c.cycle().preempted.size() == 1);
    CHECK_FALSE(next_due(c.state));
    c.add(on_failed_node());  // its object does not show the eviction yet
    c.now += seconds(1);
    CHECK(c.cycle().second_passes.empty());
    c.tell(PreemptionFailed{.ns = "ns", .name = "w"});
    CHECK(next_due(c.state) == c.now + seconds(1));
}

TEST_CASE("a topology that nothing asks for anymore is not assigned", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n1", "a", 4);
    Workload holder = delayed();
    holder.pod_sets.front().reclaimable = 2;
    c.add(holder);
    c.now += seconds(1);
    const CycleResult result = c.cycle();
    REQUIRE(result.second_passes.size() == 1);
    CHECK(result.second_passes.front().outcome == Outcome::Failed);
    CHECK(next_due(c.state) == c.now + seconds(2));
}

TEST_CASE("refused writes of a topology follow at growing intervals", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n2", "a", 4);
    c.add(on_failed_node());
    for (const int delay : {1, 1, 2, 4}) {
        CAPTURE(delay);
        REQUIRE(next_due(c.state) == c.now + seconds(delay));
        c.now += seconds(delay);
        REQUIRE(c.cycle().second_passes.front().outcome == Outcome::Assigned);
        c.tell(AdmissionFailed{.ns = "ns", .name = "w", .back_off = true});
    }
}

TEST_CASE("a second pass keeps its delay when the clock is set", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n1", "a", 4);
    c.add(delayed());
    for (const int step : {-3600, 3600}) {
        c.now += seconds(step);
        step_clock(c.state, seconds(step), c.now);
        CHECK(next_due(c.state) == c.now + seconds(1));
    }
}

TEST_CASE("a workload that ends has no second pass", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n2", "a", 4);
    c.add(on_failed_node());
    c.tell(WorkloadDeleted{.ns = "ns", .name = "w"});
    CHECK_FALSE(next_due(c.state));
    c.now += seconds(1);
    CHECK(c.cycle().second_passes.empty());
}

TEST_CASE(
    "a workload is evicted if no node replaces the failed one and it may fail fast",
    "[engine][topology]"
) {
    Options options = PlacedCluster::options_with_delay();
    SECTION("it may") {
        options.gates.tas_replacement_fail_fast = true;
    }
    SECTION("it may not") {
        options.gates.tas_replacement_fail_fast = false;
    }
    const bool fails_fast = options.gates.tas_replacement_fail_fast;
    PlacedCluster c(options);
    c.set_node("n2", "a", 1);
    c.add(on_failed_node());
    c.now += seconds(1);
    const CycleResult result = c.cycle();
    REQUIRE(result.second_passes.size() == 1);
    CHECK(
        result.second_passes.front().outcome == (fails_fast ? Outcome::Evicted : Outcome::Failed)
    );
}

}  // namespace sluice::engine
