// What is told of a workload while the write of its admission is outstanding.
#include "engine/audited.hpp"
#include "engine/engine.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

namespace sluice::engine {
namespace {

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};

/// A ClusterQueue with room for one of "first" and "second". "first" is admitted, its write is
/// outstanding; "second" is parked.
struct Outstanding {
    State state{Options{}};
    NodeIndex queue;

    Outstanding() {
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
        tell(WorkloadChanged{make("second")});
        REQUIRE(admitted() == "ns/first");
        REQUIRE(admitted().empty());
    }
    void tell(const Event& event) { apply_audited(state, event, kNow); }
    std::string admitted() {
        const auto result = run_cycle_audited(state, kNow);
        return result.admitted.empty()
                   ? ""
                   : std::string(state.workload_key(result.admitted.front().workload));
    }
    bool is_held() const { return !state.cluster_queue(queue).holders.empty(); }
    static Workload make(const std::string& name) {
        Workload made;
        made.ns = "ns";
        made.name = name;
        made.uid = name;
        made.local_queue = "lq";
        made.queue_order = kNow;
        made.pod_sets = {{.name = "main", .requests = {{.resource = "cpu", .amount = Amount(1)}}}};
        return made;
    }
    static Workload with_reservation(bool is_evicted) {
        auto made = make("first");
        made.queueable = false;
        made.reservation = QuotaReservation{
            .cluster_queue = "cq",
            .pod_sets =
                {{.name = "main",
                  .resources = {{.resource = "cpu", .flavor = "f", .amount = Amount(1)}},
                  .count = 1}},
            .reserved_at = kNow,
            .evicted = is_evicted,
        };
        return made;
    }
    static Workload on_hold() {
        auto made = make("first");
        made.queueable = false;
        made.generation = 2;
        return made;
    }
};

const AdmissionWritten kWritten{.ns = "ns", .name = "first"};

}  // namespace

TEST_CASE(
    "quota that is given up while the write is outstanding is free once that is settled",
    "[engine][queue]"
) {
    Outstanding c;
    c.tell(WorkloadChanged{Outstanding::with_reservation(false)});
    c.tell(WorkloadChanged{Outstanding::with_reservation(true)});
    c.tell(WorkloadChanged{Outstanding::on_hold()});
    CHECK(c.is_held());  // or it would be admitted again before the answer to the first write
    c.tell(kWritten);
    CHECK_FALSE(c.is_held());
    CHECK(c.admitted() == "ns/second");
}

TEST_CASE("the end of a workload counts once the write is settled", "[engine][queue]") {
    Outstanding c;
    auto ended = Outstanding::with_reservation(true);
    ended.ended = true;  // deactivated before it gave its reservation up
    c.tell(WorkloadChanged{ended});
    CHECK(c.is_held());
    c.tell(kWritten);
    CHECK_FALSE(c.is_held());
    CHECK(c.admitted() == "ns/second");
}

TEST_CASE("what was told before the reservation showed is outdated by it", "[engine][queue]") {
    Outstanding c;
    c.tell(WorkloadChanged{Outstanding::on_hold()});
    SECTION("by the write's answer") {
        c.tell(kWritten);
    }
    SECTION("by the object, then by the write's answer") {
        c.tell(WorkloadChanged{Outstanding::with_reservation(false)});
        c.tell(kWritten);
    }
    CHECK(c.is_held());
    CHECK(c.admitted().empty());
}

TEST_CASE(
    "quota that is given up and reserved again while the write is outstanding is held",
    "[engine][queue]"
) {
    Outstanding c;
    c.tell(WorkloadChanged{Outstanding::with_reservation(false)});
    c.tell(WorkloadChanged{Outstanding::on_hold()});
    c.tell(WorkloadChanged{Outstanding::with_reservation(false)});
    c.tell(kWritten);
    CHECK(c.is_held());
    CHECK(c.admitted().empty());
}

}  // namespace sluice::engine
