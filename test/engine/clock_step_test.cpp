#include "engine/audited.hpp"
#include "engine/engine.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

// The wall clock is set: what the engine waits for by itself takes as long as before.
namespace sluice::engine {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};

Workload workload(const std::string& name) {
    Workload made;
    made.ns = "ns";
    made.name = name;
    made.uid = name;
    made.local_queue = "a";
    made.queue_order = kNow;
    made.generation = 1;
    made.pod_sets = {{.name = "main", .requests = {{.resource = "cpu", .amount = Amount(6)}}}};
    return made;
}

/// LocalQueue "a" of a ClusterQueue with 10 cores, which has used 8 of them.
struct Queue {
    State state;
    Time now = kNow;

    explicit Queue(Options options = {}) : state(std::move(options)) {
        tell(FlavorChanged{{.name = "f"}});
        ClusterQueue queue;
        queue.name = "cq";
        queue.resource_groups = {
            {.covered_resources = {"cpu"},
             .flavors = {{.flavor = "f", .quotas = {{.nominal = Amount(10)}}}}}
        };
        queue.admission_fair_sharing = true;
        tell(ClusterQueueChanged{queue});
        tell(LocalQueueChanged{
            {.ns = "ns",
             .name = "a",
             .cluster_queue = "cq",
             .fair_weight = 1.0,
             .consumed = {{"cpu", 8'000'000'000}}}
        });
    }
    void tell(const Event& event) { apply_audited(state, event, now); }
    /// The wall clock is set, and some time passes.
    void step(Duration by) {
        now += by;
        step_clock(state, by, now);
        require_sound(state);
    }
    std::size_t admitted() { return run_cycle_audited(state, now).admitted.size(); }
};

}  // namespace

TEST_CASE("a back-off that is to come again keeps a parked workload parked", "[engine][clock]") {
    Queue queue;
    auto first = workload("first");
    auto second = workload("second");
    for (Workload* made : {&first, &second}) {
        made->scheduling_class = 7;
        made->pod_sets[0].requests[0].amount = Amount(20);
    }
    second.queue_order = kNow + 1s;
    second.requeue_at = kNow + 5s;
    queue.now += 10s;
    queue.tell(WorkloadChanged{first});
    queue.tell(WorkloadChanged{second});
    queue.step(-60s);
    CHECK(queue.admitted() == 0);  // nothing fits: the class is parked
    ClusterQueue changed = queue.state.cluster_queue(queue.state.find_cluster_queue("cq")).spec;
    changed.generation = 2;
    queue.tell(ClusterQueueChanged{changed});
    const auto node = queue.state.find_cluster_queue("cq");
    REQUIRE(queue.state.heap_in_order(node).size() == 1);
    CHECK(queue.state.workload_key(queue.state.heap_in_order(node)[0]) == "ns/first");
    CHECK(queue.state.inadmissible_in_order(node).size() == 1);
}

TEST_CASE("a set clock leaves the wake batch as long as it is", "[engine][clock]") {
    const auto by = GENERATE(Duration(1h), Duration(-1h));
    Options options;
    options.wake_batch = 1s;
    Queue q(options);
    q.tell(WorkloadChanged{workload("first")});
    REQUIRE(q.admitted() == 1);
    q.tell(WorkloadChanged{workload("second")});
    REQUIRE(q.admitted() == 0);
    q.tell(WorkloadDeleted{.ns = "ns", .name = "first"});
    REQUIRE(next_due(q.state) == q.now + 1s);
    q.step(by);
    CHECK(next_due(q.state) == q.now + 1s);
    q.tell(TimerFired{});
    CHECK(q.admitted() == 0);
    q.now += 1s;
    q.tell(TimerFired{});
    CHECK(q.admitted() == 1);
}

TEST_CASE("a set clock leaves the delay of a refused admission as it is", "[engine][clock]") {
    const auto by = GENERATE(Duration(1h), Duration(-1h));
    Queue q;
    q.tell(WorkloadChanged{workload("w")});
    REQUIRE(q.admitted() == 1);
    q.tell(AdmissionFailed{.ns = "ns", .name = "w", .back_off = true});
    q.step(by);
    q.tell(TimerFired{});
    CHECK(q.admitted() == 0);
    q.now += 1s;
    q.tell(TimerFired{});
    CHECK(q.admitted() == 1);
}

TEST_CASE("a delay that has passed does not come back with the clock", "[engine][clock]") {
    Queue q;
    q.tell(WorkloadChanged{workload("w")});
    REQUIRE(q.admitted() == 1);
    q.tell(AdmissionFailed{.ns = "ns", .name = "w", .back_off = true});
    q.now += 1s;
    q.tell(TimerFired{});
    q.step(-1h);
    auto changed = workload("w");
    changed.generation = 2;
    q.tell(WorkloadChanged{changed});
    CHECK(q.admitted() == 1);
}

TEST_CASE("the time that an object names holds on the clock as it is set", "[engine][clock]") {
    Queue q;
    auto delayed = workload("w");
    delayed.requeue_at = kNow + 10min;
    q.tell(WorkloadChanged{delayed});
    SECTION("forth: it has come") {
        q.step(1h);
        REQUIRE(next_due(q.state) <= q.now);
        q.tell(TimerFired{});
        CHECK(q.admitted() == 1);
    }
    SECTION("back: it is further away") {
        q.step(-1h);
        CHECK(next_due(q.state) == kNow + 10min);
        q.now += 11min;
        q.tell(TimerFired{});
        CHECK(q.admitted() == 0);
        q.now = kNow + 10min;
        q.tell(TimerFired{});
        CHECK(q.admitted() == 1);
    }
    SECTION("back, after it had come: it is waited for again") {
        q.tell(WorkloadChanged{workload("first")});
        REQUIRE(q.admitted() == 1);
        q.now = kNow + 10min;
        q.tell(TimerFired{});
        REQUIRE(q.admitted() == 0);
        q.step(-1h);
        q.tell(WorkloadDeleted{.ns = "ns", .name = "first"});
        CHECK(q.admitted() == 0);
        REQUIRE(next_due(q.state) == kNow + 10min);
        q.now = kNow + 10min;
        q.tell(TimerFired{});
        CHECK(q.admitted() == 1);
    }
}

TEST_CASE("past usage decays by the time that passed", "[engine][clock]") {
    const auto by = GENERATE(Duration(1h), Duration(-1h), Duration(0s));
    Options options;
    options.admission_fair_sharing = true;
    options.usage_half_life = 10s;
    options.usage_sampling_interval = 10s;
    Queue q(options);
    q.step(by);
    REQUIRE(next_due(q.state) == q.now + 10s);
    q.tell(TimerFired{});
    const auto usage = [&q] {
        return q.state.local_queue(q.state.find_local_queue("ns/a")).fair_usage;
    };
    CHECK(usage() == 8.0);
    q.now += 10s;
    q.tell(TimerFired{});
    CHECK(usage() == 4.0);
    CHECK(next_due(q.state) == q.now + 10s);
}

TEST_CASE("a time beyond the end of the clock stays there", "[engine][clock]") {
    STATIC_REQUIRE(shifted(kNow, 1h) == kNow + 1h);
    STATIC_REQUIRE(shifted(kNow, -1h) == kNow - 1h);
    STATIC_REQUIRE(shifted(Time::max(), 1h) == Time::max());
}

}  // namespace sluice::engine
