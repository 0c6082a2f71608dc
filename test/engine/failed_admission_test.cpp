// Admissions whose write fails: the quota is free, and the workload is tried again.
#include "engine/audited.hpp"
#include "engine/engine.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

namespace sluice::engine {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};

/// A ClusterQueue with room for one of "first" and "second", which are alike; wakes are gathered
/// for a second.
struct TwoAlike {
    State state{Options{.wake_batch = 1s}};
    NodeIndex queue;

    TwoAlike() {
        tell(FlavorChanged{{.name = "f"}});
        ClusterQueue made;
        made.name = "cq";
        made.resource_groups = {
            {.covered_resources = {"cpu"},
             .flavors = {{.flavor = "f", .quotas = {{.nominal = Amount(1)}}}}}
        };
        tell(ClusterQueueChanged{made});
        queue = state.find_cluster_queue("cq");
        tell(LocalQueueChanged{{.ns = "ns", .name = "lq", .cluster_queue = "cq"}});
        tell(WorkloadChanged{make("first")});
        REQUIRE(run_cycle_audited(state, kNow).admitted.size() == 1);
        tell(WorkloadChanged{make("second")});
        REQUIRE(run_cycle_audited(state, kNow).admitted.empty());
        REQUIRE(state.inadmissible_in_order(queue).size() == 1);
    }
    void tell(const Event& event) { apply_audited(state, event, kNow); }
    /// The API refuses the admission of "first", and its LocalQueue stops and resumes: then all
    /// that wait are tried, whatever their back-off.
    void refuse_and_resume() {
        tell(AdmissionFailed{.ns = "ns", .name = "first", .back_off = true});
        tell(LocalQueueChanged{{.ns = "ns", .name = "lq", .cluster_queue = "cq", .stopped = true}});
        tell(LocalQueueChanged{{.ns = "ns", .name = "lq", .cluster_queue = "cq"}});
        REQUIRE(run_cycle_audited(state, kNow).admitted.size() == 1);
    }
    Workload make(const std::string& name) {
        Workload made;
        made.ns = "ns";
        made.name = name;
        made.uid = name;
        made.local_queue = "lq";
        made.queue_order = kNow;
        made.scheduling_class = 7;
        made.pod_sets = {{.name = "main", .requests = {{.resource = "cpu", .amount = Amount(1)}}}};
        return made;
    }
};

}  // namespace

TEST_CASE(
    "after a failed write a workload is tried at once, whatever is parked", "[engine][queue]"
) {
    TwoAlike queues;
    SECTION("as it was") {
        queues.tell(AdmissionFailed{.ns = "ns", .name = "first"});
    }
    SECTION("as it has become meanwhile") {
        auto changed = queues.make("first");
        changed.generation = 2;
        queues.tell(WorkloadChanged{changed});
        queues.tell(AdmissionFailed{.ns = "ns", .name = "first"});
    }
    CHECK(queues.state.heap_in_order(queues.queue).size() == 1);
    CHECK(run_cycle(queues.state, kNow).admitted.size() == 1);
}

TEST_CASE("after a refused write a workload waits", "[engine][queue]") {
    TwoAlike queues;
    queues.tell(AdmissionFailed{.ns = "ns", .name = "first", .back_off = true});
    CHECK(queues.state.heap_in_order(queues.queue).empty());
    CHECK(next_due(queues.state) == kNow + 1s);
}

TEST_CASE("a back-off that was set anew does not end as it was before", "[engine][queue]") {
    TwoAlike queues;
    queues.tell(WorkloadDeleted{.ns = "ns", .name = "second"});
    queues.refuse_and_resume();  // waits for a second
    queues.refuse_and_resume();  // for two
    queues.tell(AdmissionFailed{.ns = "ns", .name = "first", .back_off = true});
    queues.tell(WorkloadDeleted{.ns = "ns", .name = "first"});
    apply_audited(queues.state, TimerFired{}, kNow + 1s);  // the wake-ups of all this
    CHECK(next_due(queues.state) == std::nullopt);

    auto too_large = queues.make("other");
    too_large.scheduling_class = 0;
    too_large.pod_sets[0].requests[0].amount = Amount(2);
    apply_audited(queues.state, WorkloadChanged{too_large}, kNow + 1s);
    run_cycle_audited(queues.state, kNow + 1s);
    REQUIRE(queues.state.inadmissible_in_order(queues.queue).size() == 1);
    apply_audited(queues.state, TimerFired{}, kNow + 9s);
    CHECK(queues.state.inadmissible_in_order(queues.queue).size() == 1);
}

TEST_CASE("of two back-offs until one time the other stays when one goes", "[engine][queue]") {
    TwoAlike queues;
    queues.refuse_and_resume();
    queues.tell(AdmissionFailed{.ns = "ns", .name = "first", .back_off = true});
    auto changed = queues.make("first");
    changed.requeue_at = kNow + 2s;
    queues.tell(WorkloadChanged{changed});
    changed.requeue_at.reset();
    queues.tell(WorkloadChanged{changed});
    queues.tell(WorkloadDeleted{.ns = "ns", .name = "second"});
    apply_audited(queues.state, TimerFired{}, kNow + 1s);  // the wake-ups of all this
    CHECK(next_due(queues.state) == kNow + 2s);
    apply_audited(queues.state, TimerFired{}, kNow + 2s);
    const auto result = run_cycle_audited(queues.state, kNow + 2s);
    REQUIRE(result.admitted.size() == 1);
    CHECK(queues.state.workload_key(result.admitted.front().workload) == "ns/first");
}

}  // namespace sluice::engine
