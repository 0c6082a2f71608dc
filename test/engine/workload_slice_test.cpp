#include "base/prng.hpp"
#include "engine/audit.hpp"
#include "engine/engine.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

// Elastic jobs: a larger slice is decided on as the difference would be.
namespace sluice::engine {
namespace {

constexpr Time kNow{std::chrono::seconds(1'000'000)};

PreemptionPolicy one_of(Prng& random, const std::vector<PreemptionPolicy>& policies) {
    return policies[random.below(policies.size())];
}

ClusterQueue random_queue(Prng& random, const std::string& name) {
    ClusterQueue queue{
        .name = name,
        .cohort = random.chance(80) ? "c" : "",
        .resource_groups = {{
            .covered_resources = {"cpu"},
            .flavors = {{.flavor = "default", .quotas = {{.nominal = Amount(random.between(0, 9))}}}
            },
        }},
    };
    using enum PreemptionPolicy;
    queue.preemption.within_cluster_queue =
        one_of(random, {Never, LowerPriority, LowerOrNewerEqualPriority});
    queue.preemption.reclaim_within_cohort = one_of(random, {Never, LowerPriority, Any});
    queue.preemption.borrow_within_cohort =
        queue.preemption.reclaim_within_cohort != Never && random.chance(50);
    return queue;
}

Workload make_workload(
    const std::string& queue, const std::string& name, std::int32_t count, std::int64_t cpu
) {
    return {
        .ns = "ns",
        .name = name,
        .uid = name,
        .local_queue = queue,
        .queue_order = kNow,
        .generation = 1,
        .pod_sets =
            {{.name = "main",
              .count = count,
              .requests = {{.resource = "cpu", .amount = Amount(cpu)}}}},
    };
}

Workload holder(Workload workload, Prng& random) {
    const PodSet& pod_set = workload.pod_sets.front();
    workload.queue_order = kNow - std::chrono::seconds(random.between(1, 5));
    workload.queueable = false;
    workload.reservation = QuotaReservation{
        .cluster_queue = workload.local_queue,
        .pod_sets = {{
            .name = pod_set.name,
            .resources = {{"cpu", "default", pod_set.requests.front().amount * pod_set.count}},
            .count = pod_set.count,
        }},
        .reserved_at = kNow - std::chrono::seconds(random.between(1, 5)),
        .admitted = true,
    };
    return workload;
}

/// What one cycle decides about the pending workload, as text.
std::string decide(std::uint64_t seed, bool as_slice) {
    Prng random(seed);
    Options options;
    options.fair_sharing = random.chance(30);
    State state(options);
    apply(state, FlavorChanged{{.name = "default"}}, kNow);
    const std::vector<std::string> queues = {"a", "b", "d"};
    for (const auto& name : queues) {
        apply(state, ClusterQueueChanged{random_queue(random, name)}, kNow);
        apply(state, LocalQueueChanged{{.ns = "ns", .name = name, .cluster_queue = name}}, kNow);
    }
    const auto holders = random.below(6);
    for (std::uint64_t i = 0; i < holders; ++i) {
        auto made = make_workload(
            queues[random.below(queues.size())], fmt::format("v{}", i), 1, random.between(1, 4)
        );
        made.priority = random.between(0, 3);
        apply(state, WorkloadChanged{holder(std::move(made), random)}, kNow);
    }
    const auto cpu = random.between(1, 2);
    const auto held = static_cast<std::int32_t>(random.between(1, 4));
    const auto wanted = held + static_cast<std::int32_t>(random.between(1, 4));
    auto slice = make_workload("a", "slice", held, cpu);
    slice.priority = random.between(0, 3);
    auto larger = make_workload("a", "larger", as_slice ? wanted : wanted - held, cpu);
    larger.priority = random.chance(80) ? slice.priority : random.between(0, 3);
    larger.replaces = as_slice ? "ns/slice" : "";
    apply(state, WorkloadChanged{holder(std::move(slice), random)}, kNow);
    apply(state, WorkloadChanged{larger}, kNow);

    const CycleResult result = run_cycle(state, kNow);
    CHECK(audit(state).empty());
    std::string text;
    for (const auto& admission : result.admitted) {
        text += fmt::format("admit level {}", admission.borrowing_level);
        CHECK(admission.replaces.is_valid() == as_slice);
        CHECK(admission.pod_sets.front().count == (as_slice ? wanted : wanted - held));
    }
    for (const auto& preemption : result.preempted) {
        text += fmt::format(
            "preempt {} {} ",
            state.workload_key(preemption.victim),
            static_cast<int>(preemption.reason)
        );
    }
    for (const auto& refusal : result.refused) {
        text += fmt::format(
            "refuse {} {} {}",
            static_cast<int>(refusal.reason),
            static_cast<int>(refusal.kind),
            refusal.preemptions
        );
    }
    return text;
}

}  // namespace

TEST_CASE("a larger slice is decided on as the difference alone would be", "[engine][slices]") {
    int admitted = 0;
    int preempting = 0;
    for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
        CAPTURE(seed);
        const std::string as_slice = decide(seed, true);
        REQUIRE(as_slice == decide(seed, false));
        admitted += as_slice.starts_with("admit") ? 1 : 0;
        preempting += as_slice.starts_with("preempt") ? 1 : 0;
    }
    CHECK(admitted > 300);
    CHECK(preempting > 100);
}

}  // namespace sluice::engine
