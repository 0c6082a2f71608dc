#include "engine/audited.hpp"
#include "engine/engine.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace sluice::engine {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow{std::chrono::seconds(1'000'000)};

ClusterQueue queue_of(const std::string& name, std::int64_t cpu, const std::string& cohort = "") {
    return {
        .name = name,
        .cohort = cohort,
        .resource_groups = {{
            .covered_resources = {"cpu"},
            .flavors = {{.flavor = "default", .quotas = {{.nominal = Amount(cpu)}}}},
        }},
    };
}

Workload workload(const std::string& queue, const std::string& name, std::int64_t cpu) {
    return {
        .ns = "ns",
        .name = name,
        .uid = name,
        .local_queue = queue,
        .queue_order = kNow,
        .generation = 1,
        .pod_sets = {{.name = "main", .requests = {{.resource = "cpu", .amount = Amount(cpu)}}}},
    };
}

/// A cluster with ClusterQueues of 10 cpu, each with a LocalQueue of the same name.
struct Cluster {
    State state{Options{}};

    explicit Cluster(const std::vector<ClusterQueue>& queues) {
        apply_audited(state, FlavorChanged{{.name = "default"}}, kNow);
        for (const auto& queue : queues) {
            apply_audited(state, ClusterQueueChanged{queue}, kNow);
            apply_audited(
                state,
                LocalQueueChanged{{.ns = "ns", .name = queue.name, .cluster_queue = queue.name}},
                kNow
            );
        }
    }
    void add(const Workload& given) { apply_audited(state, WorkloadChanged{given}, kNow); }
    CycleResult run() { return run_cycle_audited(state, kNow); }
    std::vector<std::string> admitted(const CycleResult& result) const {
        std::vector<std::string> names;
        for (const auto& decision : result.admitted) {
            names.push_back(std::string(state.workload_key(decision.workload)));
        }
        return names;
    }
};

}  // namespace

TEST_CASE("a workload that fits is admitted and holds its quota", "[engine][cycle]") {
    Cluster c({queue_of("a", 10)});
    c.add(workload("a", "w1", 6));
    c.add(workload("a", "w2", 6));
    CHECK(c.admitted(c.run()) == std::vector<std::string>{"ns/w1"});
    const auto second = c.run();
    CHECK(second.admitted.empty());
    REQUIRE(second.refused.size() == 1);
    CHECK(second.refused[0].reason == WaitingReason::WaitingForQuota);
    CHECK(second.refused[0].requeued == RequeuedTo::Inadmissible);
    CHECK(c.run().cycle == 0);
}

TEST_CASE("a finished workload frees its quota and wakes those that wait", "[engine][cycle]") {
    Cluster c({queue_of("a", 10)});
    c.add(workload("a", "w1", 6));
    c.add(workload("a", "w2", 6));
    c.run();
    c.run();
    apply_audited(c.state, AdmissionWritten{"ns", "w1"}, kNow);
    auto finished = workload("a", "w1", 6);
    finished.queueable = false;
    c.add(finished);
    CHECK(c.admitted(c.run()) == std::vector<std::string>{"ns/w2"});
}

TEST_CASE(
    "a stale echo takes nothing away from an admission that is being written", "[engine][cycle]"
) {
    Cluster c({queue_of("a", 10)});
    c.add(workload("a", "w1", 6));
    c.run();
    c.add(workload("a", "w1", 6));
    const auto node = c.state.find_cluster_queue("a");
    CHECK(c.state.cluster_queue(node).holders.size() == 1);
    CHECK(c.run().cycle == 0);
}

TEST_CASE(
    "a failed write of an admission gives the quota back and the workload queues again",
    "[engine][cycle]"
) {
    Cluster c({queue_of("a", 10)});
    c.add(workload("a", "w1", 6));
    c.run();
    apply_audited(c.state, AdmissionFailed{.ns = "ns", .name = "w1"}, kNow);
    CHECK(c.admitted(c.run()) == std::vector<std::string>{"ns/w1"});
    apply_audited(c.state, AdmissionFailed{.ns = "ns", .name = "w1", .object_gone = true}, kNow);
    CHECK(c.run().cycle == 0);
}

TEST_CASE("an owner takes back what another queue borrows", "[engine][cycle]") {
    auto a = queue_of("a", 10, "c");
    a.preemption.reclaim_within_cohort = PreemptionPolicy::Any;
    Cluster c({a, queue_of("b", 10, "c")});
    auto borrower = workload("b", "w1", 15);
    borrower.reservation = QuotaReservation{
        .cluster_queue = "b",
        .pod_sets = {{.name = "main", .resources = {{"cpu", "default", Amount(15)}}, .count = 1}},
        .reserved_at = kNow,
        .admitted = true,
    };
    c.add(borrower);
    c.add(workload("a", "w2", 8));
    const auto first = c.run();
    REQUIRE(first.preempted.size() == 1);
    CHECK(first.preempted[0].reason == PreemptionReason::InCohortReclamation);
    CHECK(c.state.workload_key(first.preempted[0].victim) == "ns/w1");
    // The victim still holds its quota, so it is not evicted twice and nothing is admitted yet.
    const auto second = c.run();
    CHECK(second.preempted.empty());
    CHECK(second.admitted.empty());
    borrower.reservation.reset();
    borrower.condition_stamp = 1;
    c.add(borrower);
    CHECK(c.admitted(c.run()) == std::vector<std::string>{"ns/w2"});
}

TEST_CASE("a back-off ends when its time comes", "[engine][cycle]") {
    Cluster c({queue_of("a", 10)});
    auto delayed = workload("a", "w1", 6);
    delayed.requeue_at = kNow + 10s;
    c.add(delayed);
    CHECK(c.run().cycle == 0);
    REQUIRE(next_due(c.state) == kNow + 10s);
    apply_audited(c.state, TimerFired{}, kNow + 10s);
    CHECK(c.admitted(run_cycle_audited(c.state, kNow + 10s)) == std::vector<std::string>{"ns/w1"});
    CHECK_FALSE(next_due(c.state));
}

TEST_CASE(
    "a ClusterQueue with a missing flavor admits nothing until the flavor exists", "[engine][cycle]"
) {
    auto a = queue_of("a", 10);
    a.resource_groups[0].flavors.push_back({.flavor = "later", .quotas = {{.nominal = Amount(10)}}}
    );
    Cluster c({a});
    c.add(workload("a", "w1", 6));
    CHECK(c.run().cycle == 0);
    apply_audited(c.state, FlavorChanged{{.name = "later"}}, kNow);
    CHECK(c.admitted(c.run()) == std::vector<std::string>{"ns/w1"});
}

TEST_CASE("an update while a back-off runs does not lose its end", "[engine][cycle]") {
    Cluster c({queue_of("a", 10)});
    auto delayed = workload("a", "w1", 6);
    delayed.requeue_at = kNow + 4s;
    c.add(delayed);
    apply_audited(c.state, WorkloadChanged{delayed}, kNow + 4s);
    apply_audited(c.state, TimerFired{}, kNow + 4s);
    CHECK(c.admitted(run_cycle_audited(c.state, kNow + 4s)) == std::vector<std::string>{"ns/w1"});
}

TEST_CASE(
    "a cohort that becomes part of a cycle admits nothing until the cycle is gone",
    "[engine][cycle]"
) {
    Cluster c({queue_of("a", 10, "c1")});
    apply_audited(c.state, CohortChanged{{.name = "c1", .parent = "c0"}}, kNow);
    c.add(workload("a", "w1", 6));
    apply_audited(c.state, CohortChanged{{.name = "c0", .parent = "c1"}}, kNow);
    CHECK(c.run().cycle == 0);
    apply_audited(c.state, CohortChanged{{.name = "c0"}}, kNow);
    CHECK(c.admitted(c.run()) == std::vector<std::string>{"ns/w1"});
}

TEST_CASE(
    "a borrower that leaves its cohort wakes those that it leaves behind", "[engine][cycle]"
) {
    Cluster c({queue_of("a", 0, "c"), queue_of("b", 5, "c")});
    c.add(workload("a", "borrower", 5));
    c.run();
    c.add(workload("b", "owner", 5));
    CHECK(c.run().admitted.empty());
    apply_audited(c.state, ClusterQueueChanged{queue_of("a", 0)}, kNow);
    CHECK(c.admitted(c.run()) == std::vector<std::string>{"ns/owner"});
}

TEST_CASE(
    "a workload that moves to another ClusterQueue starts with its first flavor", "[engine][cycle]"
) {
    auto a = queue_of("a", 5);
    a.resource_groups[0].flavors.push_back({.flavor = "second", .quotas = {{.nominal = Amount(5)}}}
    );
    a.when_can_preempt = FungibilityPolicy::MayStopSearch;
    a.preemption.within_cluster_queue = PreemptionPolicy::LowerPriority;
    Cluster c({a, queue_of("b", 10)});
    apply_audited(c.state, FlavorChanged{{.name = "second"}}, kNow);
    c.add(workload("a", "w1", 9));
    CHECK(c.run().admitted.empty());
    c.add(workload("b", "w1", 9));
    CHECK(c.admitted(c.run()) == std::vector<std::string>{"ns/w1"});
}

TEST_CASE(
    "what was said while an admission was written counts when the write failed", "[engine][cycle]"
) {
    Cluster c({queue_of("a", 10)});
    c.add(workload("a", "w1", 6));
    c.run();
    auto parked = workload("a", "w1", 6);
    parked.requeued_false = true;
    parked.condition_stamp = 1;
    c.add(parked);
    apply_audited(c.state, AdmissionFailed{.ns = "ns", .name = "w1"}, kNow);
    CHECK(c.run().admitted.empty());
    CHECK(c.state.cluster_queue(c.state.find_cluster_queue("a")).holders.empty());
}

TEST_CASE(
    "the search for victims does not count pods unless pods are short", "[engine][preemption]"
) {
    // In upstream's scheduler the pseudo-resource is no part of the request when victims are looked
    // for, so being over the quota of pods does not take away the advantage of being within the
    // quota of cpu.
    auto a = queue_of("a", 10, "c");
    a.resource_groups[0].covered_resources = {"cpu", "pods"};
    a.resource_groups[0].flavors[0].quotas = {{.nominal = Amount(10)}, {.nominal = Amount(0)}};
    a.preemption.reclaim_within_cohort = PreemptionPolicy::Any;
    a.preemption.borrow_within_cohort = true;
    auto b = a;
    b.name = "b";
    b.resource_groups[0].flavors[0].quotas = {{.nominal = Amount(0)}, {.nominal = Amount(10)}};
    Cluster c({a, b});
    c.add(workload("b", "borrower", 10));
    CHECK(c.run().admitted.size() == 1);
    c.add(workload("a", "owner", 10));
    const auto result = c.run();
    REQUIRE(result.preempted.size() == 1);
    CHECK(result.preempted[0].reason == PreemptionReason::InCohortReclamation);
}

TEST_CASE("a victim whose own admission failed can be a victim again", "[engine][cycle]") {
    auto a = queue_of("a", 10);
    a.preemption.within_cluster_queue = PreemptionPolicy::LowerPriority;
    Cluster c({a});
    c.add(workload("a", "low", 10));
    c.run();
    auto high = workload("a", "high", 10);
    high.priority = 5;
    c.add(high);
    CHECK(c.run().preempted.size() == 1);
    apply_audited(c.state, WorkloadDeleted{"ns", "high"}, kNow);
    apply_audited(c.state, AdmissionFailed{.ns = "ns", .name = "low"}, kNow);
    CHECK(c.admitted(c.run()) == std::vector<std::string>{"ns/low"});
    c.add(high);
    CHECK(c.run().preempted.size() == 1);
}

TEST_CASE(
    "an admission that the API refuses is tried again later, and ever later", "[engine][cycle]"
) {
    Cluster c({queue_of("a", 10)});
    c.add(workload("a", "w1", 6));
    c.run();
    apply_audited(c.state, AdmissionFailed{.ns = "ns", .name = "w1", .back_off = true}, kNow);
    CHECK(c.run().cycle == 0);
    c.add(workload("a", "w1", 6));  // an update in between changes nothing
    REQUIRE(next_due(c.state) == kNow + 1s);
    apply_audited(c.state, TimerFired{}, kNow + 1s);
    CHECK(run_cycle_audited(c.state, kNow + 1s).admitted.size() == 1);
    apply_audited(c.state, AdmissionFailed{.ns = "ns", .name = "w1", .back_off = true}, kNow + 1s);
    CHECK(next_due(c.state) == kNow + 3s);
}

TEST_CASE("an absurd request leaves no usage behind when it goes", "[engine][cycle]") {
    auto a = queue_of("a", 0, "c");
    a.resource_groups[0].flavors[0].quotas[0] = {
        .nominal = Amount::unlimited(), .lending_limit = Amount(22)
    };
    Cluster c({a, queue_of("b", 10, "c")});
    const auto add_holder = [&c](const std::string& name, Amount amount) {
        auto holder = workload("a", name, 1);
        holder.reservation = QuotaReservation{
            .cluster_queue = "a",
            .pod_sets = {{.name = "main", .resources = {{"cpu", "default", amount}}, .count = 1}},
        };
        c.add(holder);
        c.run();
    };
    add_holder("huge", Amount::unlimited());
    add_holder("small", Amount(4));
    apply_audited(c.state, WorkloadDeleted{"ns", "huge"}, kNow);
    c.run();
    const auto node = c.state.find_cluster_queue("a");
    CHECK(c.state.tree().node(node).cells.at(0).usage == Amount(4));
    CHECK(c.state.tree().node(c.state.find_cohort("c")).cells.at(0).usage == Amount(0));
}

}  // namespace sluice::engine
