// Changes that are tried on a fork.
#include "engine/trial/trial.hpp"

#include "engine/engine.hpp"
#include "engine/state/snapshot.hpp"
#include "engine/trial/pending_form.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace sluice::engine {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};

ClusterQueue queue_with(int first, int second) {
    ClusterQueue queue;
    queue.name = "cq";
    queue.resource_groups = {
        {.covered_resources = {"cpu"},
         .flavors =
             {{.flavor = "first", .quotas = {{.nominal = Amount(first)}}},
              {.flavor = "second", .quotas = {{.nominal = Amount(second)}}}}}
    };
    queue.when_can_preempt = FungibilityPolicy::TryNextFlavor;
    queue.preemption.within_cluster_queue = PreemptionPolicy::LowerPriority;
    return queue;
}

Workload workload(const std::string& name, int cpus, std::int64_t priority) {
    Workload made;
    made.ns = "ns";
    made.name = name;
    made.uid = name;
    made.local_queue = "lq";
    made.priority = priority;
    made.queue_order = kNow;
    made.pod_sets = {{.name = "main", .requests = {{.resource = "cpu", .amount = Amount(cpus)}}}};
    return made;
}

/// A queue with 2 cpus in its first flavor and 1 in its second, held by `old`; wakes are gathered
/// for a minute.
struct Cluster {
    State state{Options{.wake_batch = 60s}};

    Cluster() {
        apply(state, FlavorChanged{{.name = "first"}}, kNow);
        apply(state, FlavorChanged{{.name = "second"}}, kNow);
        apply(state, ClusterQueueChanged{queue_with(2, 1)}, kNow);
        apply(state, LocalQueueChanged{{.ns = "ns", .name = "lq", .cluster_queue = "cq"}}, kNow);
        apply(state, TimerFired{}, kNow + 60s);
        add(workload("old", 2, 0));
        const auto result = run_cycle(state, kNow);
        REQUIRE(result.admitted.size() == 1);
        apply(state, AdmissionWritten{.ns = "ns", .name = "old"}, kNow);
    }
    void add(const Workload& made) { apply(state, WorkloadChanged{made}, kNow); }
};

}  // namespace

TEST_CASE("a trial starts what a change admits and leaves the state alone", "[engine][trial]") {
    Cluster cluster;
    cluster.add(workload("large", 4, 0));
    REQUIRE(run_cycle(cluster.state, kNow).refused.size() == 1);
    const std::string before = save(cluster.state);
    Trial trial(cluster.state, kNow);
    CHECK(trial.run().admitted.empty());
    trial.apply(ClusterQueueChanged{queue_with(2, 4)});
    const TrialOutcome outcome = trial.run();
    CHECK(outcome.is_stable);
    CHECK(outcome.evicted.empty());
    REQUIRE(outcome.find_admitted("ns/large") != nullptr);
    const auto& pod_sets = outcome.find_admitted("ns/large")->decision.pod_sets;
    CHECK(trial.state().flavor_name(pod_sets[0].flavors[0].flavor) == "second");
    CHECK(outcome.find_admitted("ns/old") == nullptr);
    CHECK(save(cluster.state) == before);
}

TEST_CASE("a trial evicts at once, and victims queue again", "[engine][trial]") {
    Cluster cluster;
    Trial trial(cluster.state, kNow);
    trial.apply(WorkloadChanged{workload("urgent", 2, 10)});
    const TrialOutcome outcome = trial.run();
    REQUIRE(outcome.evicted.size() == 1);
    CHECK(outcome.evicted[0].workload == "ns/old");
    CHECK(outcome.evicted[0].preemptor == "ns/urgent");
    CHECK(outcome.find_admitted("ns/urgent") != nullptr);
    const auto old = trial.state().find_workload("ns/old");
    REQUIRE(old.is_valid());
    CHECK(trial.state().workload(old).is_queued());
    CHECK(trial.state().workload(old).holding == nullptr);
}

TEST_CASE("workloads that are being evicted give their quota back at once", "[engine][trial]") {
    Cluster cluster;
    cluster.add(workload("urgent", 2, 10));
    REQUIRE(run_cycle(cluster.state, kNow).preempted.size() == 1);
    CHECK(Trial(cluster.state, kNow).run().find_admitted("ns/urgent") != nullptr);
}

TEST_CASE("alone, a workload is searched flavors for from the first on", "[engine][trial]") {
    Cluster cluster;
    cluster.add(workload("first-in-line", 3, 20));
    cluster.add(workload("asks", 3, 0));
    Trial trial(cluster.state, kNow);
    const auto asks = trial.state().find_workload("ns/asks");
    for (int i = 0; i < 3; ++i) {
        const auto result = trial.decide_alone(asks);
        REQUIRE(result.refused.size() == 1);
        CHECK(result.refused[0].workload == asks);
        std::vector<std::string> flavors;
        for (const auto& found : result.refused[0].pod_sets.at(0).flavors) {
            flavors.push_back(trial.state().flavor_name(found.flavor));
        }
        CHECK(flavors == std::vector<std::string>{"first", "second"});
    }
}

TEST_CASE("the pending form of a workload is its event", "[engine][trial]") {
    Cluster cluster;
    Workload made = workload("asks", 3, 7);
    made.generation = 4;
    made.condition_stamp = 9;
    made.scheduling_class = 5;
    made.pod_sets[0].min_count = 1;
    made.pod_sets[0].node_requests = {{.resource = "memory", .amount = Amount(2)}};
    made.replaces = "ns/old";
    made.job = "uid";
    made.is_unowned = false;
    cluster.add(made);
    CHECK(pending_form(cluster.state, cluster.state.find_workload("ns/asks")) == made);
    CHECK(
        pending_form(cluster.state, cluster.state.find_workload("ns/old")) == workload("old", 2, 0)
    );
}

TEST_CASE("a limit ends the run of a trial", "[engine][trial]") {
    Cluster cluster;
    Trial trial(cluster.state, kNow);
    trial.apply(ClusterQueueChanged{queue_with(9, 9)});
    for (int i = 0; i < 5; ++i) {
        trial.apply(WorkloadChanged{workload("w" + std::to_string(i), 1, 0)});
    }
    const TrialOutcome outcome = trial.run({.cycles = 3});
    CHECK(outcome.admitted.size() == 3);
    CHECK(!outcome.is_stable);
}

}  // namespace sluice::engine
