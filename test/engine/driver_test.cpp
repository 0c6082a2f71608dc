// When the driver runs cycles, on a virtual clock.
#include "engine/driver/driver.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace sluice::engine {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};

/// A StrictFIFO ClusterQueue with one cpu: a head that does not fit stays the head. Wakes are
/// gathered for a minute.
struct OneQueue {
    State state{Options{.wake_batch = 60s}};
    Driver driver{state};
    Moment now{.wall = kNow, .steady = 5s};

    OneQueue() {
        driver.deliver(FlavorChanged{{.name = "f"}}, kNow);
        ClusterQueue queue;
        queue.name = "cq";
        queue.strategy = QueueingStrategy::StrictFIFO;
        queue.resource_groups = {
            {.covered_resources = {"cpu"},
             .flavors = {{.flavor = "f", .quotas = {{.nominal = Amount(1)}}}}}
        };
        driver.deliver(ClusterQueueChanged{queue}, kNow);
        driver.deliver(LocalQueueChanged{{.ns = "ns", .name = "lq", .cluster_queue = "cq"}}, kNow);
        pass(70s);
        driver.end_delays(now.wall);
    }
    void pass(Duration time) {
        now.wall += time;
        now.steady += time;
    }
    void add(const std::string& name, int cpus) {
        Workload made;
        made.ns = "ns";
        made.name = name;
        made.uid = name;
        made.local_queue = "lq";
        made.queue_order = now.wall;
        made.pod_sets = {{.name = "main", .requests = {{.resource = "cpu", .amount = Amount(cpus)}}}
        };
        driver.deliver(WorkloadChanged{made}, now.wall);
    }
    /// Steps, and returns the delay until the next step. Requires: a step is due some time.
    Duration step_delay(bool runs_cycle) {
        const Step made = driver.step(now);
        CHECK((made.result.cycle != 0) == runs_cycle);
        REQUIRE(made.next);
        return *made.next - now.steady;
    }
};

}  // namespace

TEST_CASE("without a head no step is due until an event", "[engine][driver]") {
    OneQueue queue;
    const Step step = queue.driver.step(queue.now);
    CHECK(step.result.cycle == 0);
    CHECK(!step.next);
}

TEST_CASE("a head that does not fit is tried after longer and longer delays", "[engine][driver]") {
    OneQueue queue;
    queue.add("large", 2);
    std::vector<Duration> delays;
    for (int i = 0; i < 51; ++i) {
        delays.push_back(queue.step_delay(true));
        queue.pass(delays.back());
    }
    CHECK(
        std::vector<Duration>(delays.begin(), delays.begin() + 6) ==
        std::vector<Duration>{1ms, 2ms, 4ms, 8ms, 10ms, 10ms}
    );
    CHECK(delays[49] == 10ms);
    CHECK(delays[50] == 1s);
}

TEST_CASE("before the delay has passed no cycle runs", "[engine][driver]") {
    OneQueue queue;
    queue.add("large", 2);
    CHECK(queue.step_delay(true) == 1ms);
    CHECK(queue.step_delay(false) == 1ms);
    queue.pass(999us);
    CHECK(queue.step_delay(false) == 1us);
}

TEST_CASE("an event ends a long delay", "[engine][driver]") {
    OneQueue queue;
    queue.add("large", 2);
    while (queue.step_delay(true) != 1s) {
        queue.pass(1s);
    }
    queue.add("another", 2);
    CHECK(queue.step_delay(false) == 1ms);
    queue.pass(1ms);
    CHECK(queue.step_delay(true) == 2ms);
}

TEST_CASE("after an admission the next step is due at once", "[engine][driver]") {
    OneQueue queue;
    queue.add("small", 1);
    const Step step = queue.driver.step(queue.now);
    CHECK(step.result.admitted.size() == 1);
    CHECK(step.next == queue.now.steady);
}

TEST_CASE("a caller without room for decisions gets none", "[engine][driver]") {
    OneQueue queue;
    queue.add("small", 1);
    const Step step = queue.driver.step(queue.now, false);
    CHECK(step.result.cycle == 0);
    CHECK(step.next == queue.now.steady + 10ms);
    CHECK(queue.driver.step(queue.now).result.admitted.size() == 1);
}

TEST_CASE("the end of a wake batch is the next step, by the steady clock", "[engine][driver]") {
    OneQueue queue;
    ClusterQueue changed;
    changed.name = "cq";
    changed.generation = 2;
    queue.driver.deliver(ClusterQueueChanged{changed}, queue.now.wall);
    queue.pass(20s);
    queue.now.steady += 1h;
    CHECK(queue.step_delay(false) == 40s);
    queue.pass(40s);
    CHECK(!queue.driver.step(queue.now).next);
}

TEST_CASE("without delays each step with a head runs a cycle", "[engine][driver]") {
    OneQueue queue;
    queue.add("large", 2);
    Driver driver(queue.state, kNoDelays);
    for (int i = 0; i < 100; ++i) {
        CHECK(driver.step(moment_at(queue.now.wall)).result.cycle != 0);
    }
}

}  // namespace sluice::engine
