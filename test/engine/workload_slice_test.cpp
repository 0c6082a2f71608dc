#include "base/prng.hpp"
#include "engine/audited.hpp"
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
            .flavors =
                {{.flavor = "f0", .quotas = {{.nominal = Amount(random.between(0, 9))}}},
                 {.flavor = "f1", .quotas = {{.nominal = Amount(random.between(0, 9))}}}},
        }},
    };
    using enum PreemptionPolicy;
    queue.preemption.within_cluster_queue =
        one_of(random, {Never, LowerPriority, LowerOrNewerEqualPriority});
    queue.preemption.reclaim_within_cohort = one_of(random, {Never, LowerPriority, Any});
    queue.preemption.borrow_within_cohort =
        queue.preemption.reclaim_within_cohort != Never && random.chance(50);
    if (random.chance(50)) {
        queue.when_can_preempt = FungibilityPolicy::MayStopSearch;
    }
    if (random.chance(50)) {
        queue.when_can_borrow = FungibilityPolicy::TryNextFlavor;
    }
    return queue;
}

struct Part {
    std::int32_t count = 1;
    std::int64_t cpu = 1;
    int flavor = 0;  ///< that its pods hold, or may be given
};

/// With `pinned` the pods run on their part's flavor alone.
Workload make_workload(
    const std::string& queue, const std::string& name, const std::vector<Part>& parts, bool pinned
) {
    Workload made{
        .ns = "ns",
        .name = name,
        .uid = name,
        .local_queue = queue,
        .queue_order = kNow,
        .generation = 1,
        .pod_sets = {},
    };
    for (const Part& part : parts) {
        made.pod_sets.push_back(PodSet{
            .name = fmt::format("p{}", made.pod_sets.size()),
            .count = part.count,
            .requests = {{.resource = "cpu", .amount = Amount(part.cpu)}},
            .shape = pinned ? static_cast<std::uint32_t>(part.flavor + 1) : 0,
        });
    }
    return made;
}

Workload make_holder(
    const std::string& queue, const std::string& name, const std::vector<Part>& parts, Prng& random
) {
    Workload made = make_workload(queue, name, parts, false);
    made.priority = random.between(0, 3);
    made.queue_order = kNow - std::chrono::seconds(random.between(1, 5));
    made.queueable = false;
    made.reservation = QuotaReservation{
        .cluster_queue = queue,
        .pod_sets = {},
        .reserved_at = kNow - std::chrono::seconds(random.between(1, 5)),
        .admitted = true,
    };
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Amount total = Amount(parts[i].cpu) * parts[i].count;
        made.reservation->pod_sets.push_back({
            .name = made.pod_sets[i].name,
            .resources = {{"cpu", fmt::format("f{}", parts[i].flavor), total}},
            .count = parts[i].count,
        });
    }
    return made;
}

/// What was decided, without what tells a slice from a workload of the difference.
std::string to_text(const State& state, const CycleResult& result) {
    std::string text;
    for (const auto& admission : result.admitted) {
        text += fmt::format("admit level {}", admission.borrowing_level);
    }
    for (const auto& preemption : result.preempted) {
        text += fmt::format(
            "preempt {} {} ",
            std::string(state.workload_key(preemption.victim)),
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

/// What one cycle decides, as text: about a slice that is to replace a smaller one, or about a
/// workload of the difference between the two whose pods can only run where the smaller one's do.
std::string decide(std::uint64_t seed, bool as_slice) {
    Prng random(seed);
    Options options;
    options.fair_sharing = random.chance(30);
    State state(options);
    apply_audited(state, FlavorChanged{{.name = "f0"}}, kNow);
    apply_audited(state, FlavorChanged{{.name = "f1"}}, kNow);
    apply_audited(state, PodShapeChanged{{.id = 1, .refusals = {{.flavor = "f1"}}}}, kNow);
    apply_audited(state, PodShapeChanged{{.id = 2, .refusals = {{.flavor = "f0"}}}}, kNow);
    const std::vector<std::string> queues = {"a", "b", "d"};
    for (const auto& name : queues) {
        apply_audited(state, ClusterQueueChanged{random_queue(random, name)}, kNow);
        apply_audited(
            state, LocalQueueChanged{{.ns = "ns", .name = name, .cluster_queue = name}}, kNow
        );
    }
    const auto holders = random.below(6);
    const auto some_flavor = [&random] { return random.chance(50) ? 0 : 1; };
    for (std::uint64_t i = 0; i < holders; ++i) {
        const auto& queue = queues[random.below(queues.size())];
        const Part part{.count = 1, .cpu = random.between(1, 4), .flavor = some_flavor()};
        const auto name = fmt::format("v{}", i);
        apply_audited(state, WorkloadChanged{make_holder(queue, name, {part}, random)}, kNow);
    }
    std::vector<Part> held;
    std::vector<Part> wanted;
    std::vector<Part> more;
    const auto parts = random.between(1, 2);
    for (std::int64_t i = 0; i < parts; ++i) {
        Part part{.count = 1, .cpu = random.between(1, 2), .flavor = some_flavor()};
        part.count = static_cast<std::int32_t>(random.between(1, 3));
        held.push_back(part);
        const auto growth = static_cast<std::int32_t>(random.between(1, 3));
        part.count += growth;
        wanted.push_back(part);
        part.count = growth;
        more.push_back(part);
    }
    const Workload slice = make_holder("a", "slice", held, random);
    Workload larger = make_workload("a", "larger", as_slice ? wanted : more, !as_slice);
    larger.priority = random.chance(80) ? slice.priority : random.between(0, 3);
    larger.replaces = as_slice ? "ns/slice" : "";
    apply_audited(state, WorkloadChanged{slice}, kNow);
    apply_audited(state, WorkloadChanged{larger}, kNow);

    const CycleResult result = run_cycle_audited(state, kNow);
    for (const auto& admission : result.admitted) {
        CHECK(admission.replaces.is_valid() == as_slice);
        for (std::size_t i = 0; i < admission.pod_sets.size(); ++i) {
            const AssignedPodSet& given = admission.pod_sets[i];
            const auto flavor = fmt::format("f{}", held[i].flavor);
            CHECK(given.count == (as_slice ? wanted : more)[i].count);
            CHECK(state.flavor_name(given.flavors.front().flavor) == flavor);
        }
    }
    return to_text(state, result);
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
    CHECK(preempting > 50);
}

}  // namespace sluice::engine
