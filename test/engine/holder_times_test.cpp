// When holders are expected to end, and when they end at the latest.
#include "engine/audited.hpp"
#include "engine/engine.hpp"
#include "engine/state/snapshot.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <optional>

namespace sluice::engine {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};

struct OneHolder {
    State state{Options{}};

    OneHolder() {
        ClusterQueue queue;
        queue.name = "cq";
        queue.resource_groups = {
            {.covered_resources = {"cpu"},
             .flavors = {{.flavor = "f", .quotas = {{.nominal = Amount(1)}}}}}
        };
        apply_audited(state, FlavorChanged{{.name = "f"}}, kNow);
        apply_audited(state, ClusterQueueChanged{queue}, kNow);
        const LocalQueue local_queue{.ns = "ns", .name = "lq", .cluster_queue = "cq"};
        apply_audited(state, LocalQueueChanged{local_queue}, kNow);
    }
    static Workload make() {
        Workload made;
        made.ns = "ns";
        made.name = "w";
        made.local_queue = "lq";
        made.pod_sets = {{.name = "main", .requests = {{.resource = "cpu", .amount = Amount(1)}}}};
        return made;
    }
    void hold(std::optional<Time> expected_end, std::optional<Time> bound) {
        Workload holder = make();
        holder.queueable = false;
        holder.reservation = QuotaReservation{
            .cluster_queue = "cq",
            .pod_sets =
                {{.name = "main",
                  .resources = {{.resource = "cpu", .flavor = "f", .amount = Amount(1)}},
                  .count = 1}},
            .expected_end = expected_end,
            .bound = bound,
        };
        apply_audited(state, WorkloadChanged{holder}, kNow);
    }
    static const Holding& holding(const State& of) {
        return *of.workload(of.find_workload("ns/w")).holding;
    }
};

}  // namespace

TEST_CASE("a holder has the times of its object, also after a change", "[engine][times]") {
    OneHolder one;
    one.hold(kNow + 1h, kNow + 2h);
    CHECK(OneHolder::holding(one.state).expected_end == kNow + 1h);
    CHECK(OneHolder::holding(one.state).bound == kNow + 2h);
    one.hold(std::nullopt, kNow + 3h);
    CHECK(!OneHolder::holding(one.state).expected_end);
    CHECK(OneHolder::holding(one.state).bound == kNow + 3h);
}

TEST_CASE("a fork and a saved state keep the times of holders", "[engine][times]") {
    OneHolder one;
    one.hold(kNow + 1h, kNow + 2h);
    const State fork = one.state.fork();
    const auto loaded = load(save(one.state));
    REQUIRE(loaded);
    one.hold(std::nullopt, std::nullopt);
    CHECK(OneHolder::holding(fork).bound == kNow + 2h);
    CHECK(OneHolder::holding(*loaded).expected_end == kNow + 1h);
    CHECK(OneHolder::holding(*loaded).bound == kNow + 2h);
}

TEST_CASE("an admission that is only decided has no bound yet", "[engine][times]") {
    OneHolder one;
    apply_audited(one.state, WorkloadChanged{OneHolder::make()}, kNow);
    REQUIRE(run_cycle_audited(one.state, kNow).admitted.size() == 1);
    CHECK(!OneHolder::holding(one.state).bound);
}

}  // namespace sluice::engine
