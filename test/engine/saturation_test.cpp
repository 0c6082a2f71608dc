// Requests and quotas near the largest amount.
#include "engine/audited.hpp"
#include "engine/engine.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr Time kNow{std::chrono::seconds(1'700'000'000)};

void report_queue(State& state, std::int64_t nominal) {
    apply_audited(state, FlavorChanged{{.name = "f"}}, kNow);
    ClusterQueue queue;
    queue.name = "cq";
    queue.resource_groups = {
        {.covered_resources = {"cpu"},
         .flavors = {{.flavor = "f", .quotas = {{.nominal = Amount(nominal)}}}}}
    };
    apply_audited(state, ClusterQueueChanged{queue}, kNow);
    apply_audited(
        state, LocalQueueChanged{{.ns = "ns", .name = "lq", .cluster_queue = "cq"}}, kNow
    );
}

Workload make_workload(std::int32_t count, std::int64_t each) {
    Workload made;
    made.ns = "ns";
    made.name = "w";
    made.uid = "w";
    made.local_queue = "lq";
    made.queue_order = kNow;
    made.generation = 1;
    made.pod_sets = {
        {.name = "main", .count = count, .requests = {{.resource = "cpu", .amount = Amount(each)}}}
    };
    return made;
}

}  // namespace

TEST_CASE("fewer pods take their part of a total that was cut off", "[engine][saturation]") {
    State state{Options{}};
    report_queue(state, kMost - 1);
    auto workload = make_workload(4, kMost / 2);
    workload.pod_sets[0].min_count = 3;
    apply_audited(state, WorkloadChanged{workload}, kNow);
    const CycleResult result = run_cycle_audited(state, kNow);
    REQUIRE(result.admitted.size() == 1);
    const auto& pod_set = result.admitted.front().pod_sets.front();
    CHECK(pod_set.count == 3);
    CHECK(pod_set.flavors.front().amount == Amount(kMost / 4 * 3));
}

TEST_CASE(
    "pods that are done give back their part of a total that was cut off", "[engine][saturation]"
) {
    State state{Options{}};
    report_queue(state, kMost - 1);
    auto holder = make_workload(4, kMost / 2);
    holder.pod_sets[0].reclaimable = 2;
    holder.queueable = false;
    holder.reservation = QuotaReservation{
        .cluster_queue = "cq",
        .pod_sets =
            {{.name = "main",
              .resources = {{.resource = "cpu", .flavor = "f", .amount = Amount(kMost)}},
              .count = 4}},
        .reserved_at = kNow,
        .admitted = true,
    };
    apply_audited(state, WorkloadChanged{holder}, kNow);
    const NodeIndex queue = state.find_cluster_queue("cq");
    CHECK(state.tree().node(queue).cells.at(0).usage == Amount(kMost / 4 * 2));
}

TEST_CASE(
    "of many podSets of very many pods no more are admitted than fit", "[engine][saturation]"
) {
    State state{Options{}};
    report_queue(state, 3'000);
    constexpr std::int32_t kPods = std::numeric_limits<std::int32_t>::max();
    auto workload = make_workload(kPods, 1);
    workload.pod_sets[0].min_count = 1;
    for (const char* name : {"second", "third"}) {
        workload.pod_sets.push_back(workload.pod_sets[0]);
        workload.pod_sets.back().name = name;
    }
    apply_audited(state, WorkloadChanged{workload}, kNow);
    const CycleResult result = run_cycle_audited(state, kNow);
    REQUIRE(result.admitted.size() == 1);
    for (const auto& pod_set : result.admitted.front().pod_sets) {
        CHECK(pod_set.count == 1'000);
        CHECK(pod_set.flavors.front().amount == Amount(1'000));
    }
}

}  // namespace sluice::engine
