// waitForPodsReady.blockAdmission (spec 2.12.6, 3.9).
#include "engine/audit.hpp"
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
            tell_queue(name);
            tell(LocalQueueChanged{{.ns = "ns", .name = name, .cluster_queue = name}});
        }
    }
    void tell(const Event& event) {
        apply(state, event, kNow);
        CHECK(audit(state).empty());
    }
    void tell_queue(const std::string& name) {
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
    void tell_holder(const std::string& queue, bool ready) {
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
    std::size_t admitted() { return run_cycle(state, kNow).admitted.size(); }
};

}  // namespace

TEST_CASE("nothing is admitted until all pods are ready", "[engine][pods-ready]") {
    TwoQueues queues;
    queues.tell_holder("a", false);
    queues.tell(WorkloadChanged{queues.make("b")});
    CHECK(queues.admitted() == 0);
    CHECK(queues.admitted() == 0);
    queues.tell_holder("a", true);
    CHECK(queues.admitted() == 1);
}

TEST_CASE("pods of a ClusterQueue that is gone are not waited for", "[engine][pods-ready]") {
    TwoQueues queues;
    queues.tell_holder("a", false);
    queues.tell(WorkloadChanged{queues.make("b")});
    queues.tell(ClusterQueueDeleted{.name = "a"});
    SECTION("while it is away") {
        CHECK(queues.admitted() == 1);
    }
    SECTION("but again once it is back") {
        queues.tell_queue("a");
        CHECK(queues.admitted() == 0);
        queues.tell_holder("a", true);
        CHECK(queues.admitted() == 1);
    }
    SECTION("nor are those of a workload that ends meanwhile") {
        queues.tell(WorkloadDeleted{.ns = "ns", .name = "a1"});
        queues.tell_queue("a");
        CHECK(queues.admitted() == 1);
    }
}

TEST_CASE(
    "heads that a blocked cycle does not come to stay where they were", "[engine][pods-ready]"
) {
    TwoQueues queues;
    queues.tell_holder("b", false);
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
    CHECK(queues.state.active_in_order(b).size() == 1);
    CHECK(queues.state.inadmissible_in_order(b).empty());
}

}  // namespace sluice::engine
