// waitForPodsReady.blockAdmission: one admission at a time, until its pods are ready (KEP-349).
#include "engine/audited.hpp"
#include "engine/engine.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

namespace sluice::engine {
namespace {

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};

/// Two ClusterQueues with a LocalQueue each, "a" and "b".
struct TwoQueues {
    State state{Options{.block_admission_until_pods_ready = true}};

    TwoQueues() {
        tell(FlavorChanged{{.name = "f"}});
        for (const char* name : {"a", "b"}) {
            report_queue(name);
            tell(LocalQueueChanged{{.ns = "ns", .name = name, .cluster_queue = name}});
        }
    }
    void tell(const Event& event) { apply_audited(state, event, kNow); }
    void report_queue(const std::string& name) {
        ClusterQueue queue;
        queue.name = name;
        queue.resource_groups = {
            {.covered_resources = {"cpu"},
             .flavors = {{.flavor = "f", .quotas = {{.nominal = Amount(10)}}}}}
        };
        tell(ClusterQueueChanged{queue});
    }
    Workload make(const std::string& queue) {
        Workload made;
        made.ns = "ns";
        made.name = queue + "1";
        made.uid = made.name;
        made.local_queue = queue;
        made.queue_order = kNow;
        made.pod_sets = {{.name = "main", .requests = {{.resource = "cpu", .amount = Amount(1)}}}};
        return made;
    }
    void report_holder(const std::string& queue, bool ready) {
        Workload holder = make(queue);
        holder.queueable = false;
        holder.pods_ready = ready;
        holder.reservation = QuotaReservation{
            .cluster_queue = queue,
            .pod_sets =
                {{.name = "main",
                  .resources = {{.resource = "cpu", .flavor = "f", .amount = Amount(1)}},
                  .count = 1}},
            .reserved_at = kNow,
            .admitted = true,
        };
        tell(WorkloadChanged{holder});
    }
    std::string only_admitted() {
        const CycleResult cycle = run_cycle_audited(state, kNow);
        REQUIRE(cycle.admitted.size() == 1);
        return std::string(state.workload_key(cycle.admitted[0].workload));
    }
    std::size_t admitted() { return run_cycle_audited(state, kNow).admitted.size(); }
};

}  // namespace

TEST_CASE("nothing is admitted until all pods are ready", "[engine][pods-ready]") {
    TwoQueues queues;
    queues.report_holder("a", false);
    queues.tell(WorkloadChanged{queues.make("b")});
    CHECK(queues.admitted() == 0);
    CHECK(queues.admitted() == 0);
    queues.report_holder("a", true);
    CHECK(queues.admitted() == 1);
}

TEST_CASE("pods of a ClusterQueue that is gone are not waited for", "[engine][pods-ready]") {
    TwoQueues queues;
    queues.report_holder("a", false);
    queues.tell(WorkloadChanged{queues.make("b")});
    queues.tell(ClusterQueueDeleted{.name = "a"});
    SECTION("while it is away") {
        CHECK(queues.admitted() == 1);
    }
    SECTION("but again once it is back") {
        queues.report_queue("a");
        CHECK(queues.admitted() == 0);
        queues.report_holder("a", true);
        CHECK(queues.admitted() == 1);
    }
    SECTION("nor are those of a workload that ends meanwhile") {
        queues.tell(WorkloadDeleted{.ns = "ns", .name = "a1"});
        queues.report_queue("a");
        CHECK(queues.admitted() == 1);
    }
}

TEST_CASE("what was held back for pods goes first when they are ready", "[engine][pods-ready]") {
    TwoQueues queues;
    queues.report_holder("a", false);
    queues.tell(WorkloadChanged{queues.make("b")});
    CHECK(queues.admitted() == 0);
    auto better = queues.make("a");
    SECTION("before a better one of another ClusterQueue") {}
    SECTION("before a better one of its own ClusterQueue") {
        better.local_queue = "b";
    }
    better.name = better.uid = "better";
    better.priority = 5;
    queues.tell(WorkloadChanged{better});
    queues.report_holder("a", true);
    CHECK(queues.only_admitted() == "ns/b1");
}

TEST_CASE(
    "the shares behind what was held back for pods count what it got", "[engine][pods-ready]"
) {
    State state{Options{.fair_sharing = true, .block_admission_until_pods_ready = true}};
    const auto tell = [&](const Event& event) { apply_audited(state, event, kNow); };
    const auto lend = [](std::int64_t cpu) {
        return std::vector<ResourceGroup>{
            {.covered_resources = {"cpu"},
             .flavors = {{.flavor = "f", .quotas = {{.nominal = Amount(cpu)}}}}}
        };
    };
    const auto workload_in = [](const std::string& queue, int second) {
        Workload made{.ns = "ns", .name = queue + "1", .local_queue = queue};
        made.uid = made.name;
        made.queue_order = kNow + std::chrono::seconds(second);
        made.pod_sets = {{.name = "main", .requests = {{.resource = "cpu", .amount = Amount(1)}}}};
        return made;
    };
    tell(FlavorChanged{{.name = "f"}});
    tell(CohortChanged{{.name = "root", .resource_groups = lend(10)}});
    tell(CohortChanged{{.name = "left", .parent = "root"}});
    for (const char* name : {"a", "b", "c", "unready"}) {
        ClusterQueue queue{.name = name};
        queue.cohort = *name == 'c' ? "root" : *name == 'u' ? "" : "left";
        queue.resource_groups = lend(*name == 'u' ? 1 : 0);
        tell(ClusterQueueChanged{queue});
        tell(LocalQueueChanged{{.ns = "ns", .name = name, .cluster_queue = name}});
    }
    tell(WorkloadChanged{workload_in("unready", 0)});
    REQUIRE(run_cycle_audited(state, kNow).admitted.size() == 1);
    tell(WorkloadChanged{workload_in("a", 3)});
    REQUIRE(run_cycle_audited(state, kNow).admitted.empty());
    REQUIRE(state.workload_key(state.held_back()) == "ns/a1");
    tell(WorkloadChanged{workload_in("b", 1)});
    tell(WorkloadChanged{workload_in("c", 2)});
    tell(WorkloadDeleted{.ns = "ns", .name = "unready1"});
    REQUIRE(run_cycle_audited(state, kNow).admitted.size() == 1);
    // With what a1 got, "left" would borrow 2 cpu for b1, and "root" 1 cpu for c1.
    CHECK(state.workload_key(state.held_back()) == "ns/c1");
}

TEST_CASE("what was held back for pods and is gone has no successor", "[engine][pods-ready]") {
    TwoQueues queues;
    queues.report_holder("a", false);
    queues.tell(WorkloadChanged{queues.make("b")});
    CHECK(queues.admitted() == 0);
    queues.tell(WorkloadDeleted{.ns = "ns", .name = "b1"});
    auto later = queues.make("b");
    later.name = later.uid = "later";
    queues.tell(WorkloadChanged{later});
    auto better = queues.make("b");
    better.name = better.uid = "better";
    better.priority = 5;
    queues.tell(WorkloadChanged{better});
    queues.report_holder("a", true);
    CHECK(queues.only_admitted() == "ns/better");
}

TEST_CASE(
    "heads that a blocked cycle does not come to stay where they were", "[engine][pods-ready]"
) {
    TwoQueues queues;
    queues.report_holder("b", false);
    auto first = queues.make("a");
    first.priority = 1;
    queues.tell(WorkloadChanged{first});
    auto second = queues.make("b");
    second.name = second.uid = "b2";
    queues.tell(WorkloadChanged{second});
    second.requeued_false = true;  // too late: it is in the heap
    queues.tell(WorkloadChanged{second});
    CHECK(queues.admitted() == 0);
    const NodeIndex b = queues.state.find_cluster_queue("b");
    CHECK(queues.state.heap_in_order(b).size() == 1);
    CHECK(queues.state.inadmissible_in_order(b).empty());
}

TEST_CASE("what was held back for pods finds the same flavor again", "[engine][pods-ready]") {
    TwoQueues queues;
    queues.tell(FlavorChanged{{.name = "g"}});
    ClusterQueue searched{.name = "b"};
    searched.resource_groups =
        {{.covered_resources = {"cpu"},
          .flavors = {
              {.flavor = "f", .quotas = {{.nominal = Amount(10)}}},
              {.flavor = "g", .quotas = {{.nominal = Amount(0)}}},  // the second is none
          }}};
    queues.tell(ClusterQueueChanged{searched});
    queues.report_holder("a", false);
    queues.tell(WorkloadChanged{queues.make("b")});
    CHECK(queues.admitted() == 0);
    queues.report_holder("a", true);
    CHECK(queues.admitted() == 1);
}

TEST_CASE(
    "a head that the cycle did not come to keeps where its search stopped", "[engine][pods-ready]"
) {
    TwoQueues cluster;
    cluster.tell(FlavorChanged{{.name = "g"}});
    const auto report_searched = [&](std::int64_t cpu) {
        ClusterQueue searched{.name = "a"};
        searched.resource_groups =
            {{.covered_resources = {"cpu"},
              .flavors = {
                  {.flavor = "f", .quotas = {{.nominal = Amount(cpu)}}},
                  {.flavor = "g", .quotas = {{.nominal = Amount(1)}}},
              }}};
        cluster.tell(ClusterQueueChanged{searched});
    };
    report_searched(10);
    Workload waits = cluster.make("a");
    waits.queue_order = kNow + std::chrono::seconds(9);
    waits.pod_sets = {
        {.name = "fits", .requests = {{.resource = "cpu", .amount = Amount(2)}}},
        {.name = "large", .requests = {{.resource = "cpu", .amount = Amount(20)}}},
    };
    cluster.tell(WorkloadChanged{waits});
    CycleResult result = run_cycle(cluster.state, kNow);
    REQUIRE(result.refused.size() == 1);
    CHECK(result.refused[0].requeued == RequeuedTo::Heap);
    CHECK(result.refused[0].leaves_flavors_over);

    // Twice the cycle ends at another head, whose pods would have to wait; with the second the
    // search is out of date.
    cluster.report_queue("c");
    cluster.tell(LocalQueueChanged{{.ns = "ns", .name = "c", .cluster_queue = "c"}});
    cluster.report_holder("c", false);
    cluster.tell(WorkloadChanged{cluster.make("b")});
    const auto blocks_at = [&](const std::string& queue) {
        const CycleResult ended = run_cycle(cluster.state, kNow);
        REQUIRE(ended.refused.size() == 1);
        CHECK(ended.refused[0].kind == RefusalKind::WaitingForPodsReady);
        CHECK(cluster.state.node_name(ended.refused[0].cluster_queue) == queue);
    };
    blocks_at("b");
    report_searched(9);
    cluster.report_holder("c", true);
    Workload last = cluster.make("c");
    last.name = "c2";
    last.queue_order = kNow + std::chrono::seconds(1);
    cluster.tell(WorkloadChanged{last});
    blocks_at("c");
    cluster.tell(AdmissionWritten{.ns = "ns", .name = "b1"});
    cluster.report_holder("b", true);
    cluster.tell(LocalQueueChanged{
        {.ns = "ns", .name = "a", .cluster_queue = "a", .namespace_match = NamespaceMatch::Mismatch}
    });
    result = run_cycle(cluster.state, kNow);
    REQUIRE_FALSE(result.refused.empty());
    CHECK(result.refused.back().kind == RefusalKind::NamespaceMismatch);
    CHECK(result.refused.back().requeued == RequeuedTo::Heap);
}

}  // namespace sluice::engine
