// Small operations of the engine, for counting their instructions: run by instructions.py under
// valgrind, which reads what lies between two requests to its callgrind tool. Deterministic, unlike
// times, so that a change of one percent is a change of the code.
#include "bench/bench_cluster.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <valgrind/callgrind.h>

namespace sluice::bench {
namespace {

using namespace engine;

/// Counts `operation`, which does something `times` times; the dump's trigger says "name/times".
void count(const std::string& name, std::int64_t times, const std::function<void()>& operation) {
    const std::string trigger = name + "/" + std::to_string(times);
    CALLGRIND_ZERO_STATS;
    operation();
    CALLGRIND_DUMP_STATS_AT(trigger.c_str());
    std::printf("%s\n", trigger.c_str());
}

void require(bool is_as_planned, const char* what) {
    if (!is_as_planned) {
        std::fprintf(stderr, "the engine did not decide as planned: %s\n", what);
        std::exit(1);
    }
}

/// 1,000 ClusterQueues in cohorts of ten, depth 1: a cycle without change; pending workloads added;
/// a cycle that admits them all; their writes confirmed; their end.
void count_a_life() {
    constexpr std::int64_t kQueues = 1'000;
    const auto state = make_cluster({.queues = kQueues, .cpu = 10});
    run_cycle(*state, kNow);
    count("cycle without change", 1, [&] { run_cycle(*state, kNow); });
    const auto each = [&](auto change) {
        for (std::int64_t i = 0; i < kQueues; ++i) {
            change(numbered("q", i), numbered("w", i));
        }
    };
    count("pending workload added", kQueues, [&] {
        each([&](const std::string& queue, const std::string& name) {
            apply(*state, WorkloadChanged{make_workload(queue, name, 1)}, kNow);
        });
    });
    CycleResult result;
    count("admission", kQueues, [&] { result = run_cycle(*state, kNow); });
    require(result.admitted.size() == kQueues, "all are admitted");
    count("write of an admission confirmed", kQueues, [&] {
        each([&](const std::string&, const std::string& name) {
            apply(*state, AdmissionWritten{.ns = "ns", .name = name}, kNow);
        });
    });
    count("holder deleted", kQueues, [&] {
        each([&](const std::string&, const std::string& name) {
            apply(*state, WorkloadDeleted{.ns = "ns", .name = name}, kNow);
        });
    });
}

/// A head in each of 100 ClusterQueues that fits on none of 8 flavors.
void count_a_refusal() {
    constexpr std::int64_t kQueues = 100;
    const auto state = make_cluster({.queues = kQueues, .flavors = 8, .cpu = 4});
    for (std::int64_t i = 0; i < kQueues; ++i) {
        const auto queue = numbered("q", i);
        for (std::int64_t f = 0; f < 8; ++f) {
            auto holder = make_holder(queue, numbered("h", i * 8 + f), 4);
            holder.reservation->pod_sets[0].resources[0].flavor = numbered("f", f);
            apply(*state, WorkloadChanged{holder}, kNow);
        }
        apply(*state, WorkloadChanged{make_workload(queue, "w" + queue, 35)}, kNow);
    }
    CycleResult result;
    count("refusal on 8 flavors", kQueues, [&] { result = run_cycle(*state, kNow); });
    require(result.refused.size() == kQueues, "all are refused");
}

/// One victim among 100 candidates of the own ClusterQueue.
void count_a_preemption() {
    const auto state = make_cluster(
        {.queues = 1,
         .queues_per_cohort = 0,
         .cpu = 100,
         .preemption = {.within_cluster_queue = PreemptionPolicy::LowerPriority}}
    );
    for (std::int64_t i = 0; i < 100; ++i) {
        apply(*state, WorkloadChanged{make_holder("q0", numbered("h", i), 1)}, kNow);
    }
    auto preemptor = make_workload("q0", "preemptor", 1);
    preemptor.priority = 10;
    apply(*state, WorkloadChanged{preemptor}, kNow);
    CycleResult result;
    count("preemption among 100 candidates", 1, [&] { result = run_cycle(*state, kNow); });
    require(result.preempted.size() == 1, "one is preempted");
}

/// Fair sharing: a head in each of 100 ClusterQueues, one cohort.
void count_a_fair_cycle(bool fit) {
    constexpr std::int64_t kQueues = 100;
    Options options;
    options.fair_sharing = true;
    const auto state = make_cluster(
        {.queues = kQueues,
         .queues_per_cohort = kQueues,
         .cpu = 10,
         .preemption = {.reclaim_within_cohort = PreemptionPolicy::Any}},
        options
    );
    for (std::int64_t i = 0; i < kQueues; ++i) {
        const auto queue = numbered("q", i);
        apply(*state, WorkloadChanged{make_holder(queue, "h" + queue, fit ? 5 : 10)}, kNow);
        apply(*state, WorkloadChanged{make_workload(queue, "w" + queue, 5)}, kNow);
    }
    CycleResult result;
    count(fit ? "admission, fair sharing" : "refusal, fair sharing", kQueues, [&] {
        result = run_cycle(*state, kNow);
    });
    require((fit ? result.admitted.size() : result.refused.size()) == kQueues, "all alike");
}

/// A ClusterQueue refuses `pending` workloads one by one, each of a class of its own.
void count_refusals_of_many_classes(std::int64_t pending) {
    const auto state = make_cluster({.queues = 1, .queues_per_cohort = 0, .cpu = 1});
    for (std::int64_t i = 0; i < pending; ++i) {
        auto made = make_workload("q0", numbered("w", i), 2);
        made.scheduling_class = static_cast<std::uint64_t>(i) + 1;
        apply(*state, WorkloadChanged{made}, kNow);
    }
    count("refusal, one of " + std::to_string(pending) + " classes", pending, [&] {
        while (state->has_heads()) {
            run_cycle(*state, kNow);
        }
    });
    require(state->cycle() == static_cast<std::uint64_t>(pending), "each is refused once");
}

/// A sample of `local_queues` of one ClusterQueue with 10,000 pending workloads.
void count_a_sample(std::int64_t local_queues) {
    constexpr std::int64_t kPending = 10'000;
    Options options;
    options.admission_fair_sharing = true;
    options.usage_half_life = std::chrono::hours(1);
    options.usage_sampling_interval = std::chrono::seconds(1);
    const auto state = make_cluster({.queues = 0}, options);
    apply(*state, FlavorChanged{{.name = "f0"}}, kNow);
    ClusterQueue queue = make_queue({.queues_per_cohort = 0}, 0);
    queue.admission_fair_sharing = true;
    apply(*state, ClusterQueueChanged{queue}, kNow);
    for (std::int64_t i = 0; i < local_queues; ++i) {
        apply(
            *state,
            LocalQueueChanged{
                {.ns = "ns",
                 .name = numbered("l", i),
                 .cluster_queue = "q0",
                 .consumed = {{"cpu", Billionths{1'000'000'000} * (i + 1)}}}
            },
            kNow
        );
    }
    for (std::int64_t i = 0; i < kPending; ++i) {
        const auto to = numbered("l", i % local_queues);
        apply(*state, WorkloadChanged{make_workload(to, numbered("w", i), 1)}, kNow);
    }
    const std::string name = "sample of usage, one of " + std::to_string(local_queues);
    count(name + " LocalQueues", local_queues, [&] {
        apply(*state, TimerFired{}, kNow + std::chrono::seconds(1));
    });
}

void run() {
    count_a_life();
    count_a_refusal();
    count_a_preemption();
    count_a_fair_cycle(true);
    count_a_fair_cycle(false);
    for (const std::int64_t pending : {100, 1'000, 10'000}) {
        count_refusals_of_many_classes(pending);
    }
    for (const std::int64_t local_queues : {10, 100, 1'000}) {
        count_a_sample(local_queues);
    }
}

}  // namespace
}  // namespace sluice::bench

int main() {
    sluice::bench::run();
}
