// What explanations say of searches for victims: of those made in the cycle, and of those made for
// the explanation alone.
#include "engine/engine.hpp"
#include "workload/explanation/explanation.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::workload {
namespace {

using engine::Amount;
using engine::PreemptionPolicy;

constexpr engine::Time kNow{std::chrono::seconds(1'000'000)};

/// A cluster of one cohort and one flavor under fair sharing; amounts are cpu.
class Cluster {
  public:
    explicit Cluster(engine::Options options) : state_(std::move(options)) {
        apply(state_, engine::FlavorChanged{{.name = "f", .topology = ""}}, kNow);
    }

    void queue(
        const std::string& name,
        std::int64_t nominal,
        PreemptionPolicy within,
        PreemptionPolicy reclaim,
        bool accepts = true
    ) {
        engine::ClusterQueue made{.name = name, .cohort = "c"};
        made.resource_groups = {
            {.covered_resources = {"cpu"},
             .flavors = {{.flavor = "f", .quotas = {{.nominal = Amount(nominal)}}}}}
        };
        made.preemption.within_cluster_queue = within;
        made.preemption.reclaim_within_cohort = reclaim;
        made.accepts_workloads = accepts;
        apply(state_, engine::ClusterQueueChanged{made}, kNow);
        engine::LocalQueue local_queue;
        local_queue.ns = "ns";
        local_queue.name = name;
        local_queue.cluster_queue = name;
        apply(state_, engine::LocalQueueChanged{local_queue}, kNow);
    }

    void hold(const std::string& queue, const std::string& name, std::int64_t cpu, int priority) {
        auto made = workload(queue, name, cpu, priority);
        made.queueable = false;
        made.reservation = engine::QuotaReservation{
            .cluster_queue = queue,
            .pod_sets = {{.name = "main", .resources = {{"cpu", "f", Amount(cpu)}}, .count = 1}},
            .reserved_at = kNow - std::chrono::seconds(held_++),
            .admitted = true
        };
        apply(state_, engine::WorkloadChanged{made}, kNow);
    }

    void submit(const std::string& queue, const std::string& name, std::int64_t cpu, int priority) {
        apply(state_, engine::WorkloadChanged{workload(queue, name, cpu, priority)}, kNow);
    }

    /// "kind remedy…" of each constraint of that workload in the next cycle.
    std::vector<std::string> constraints_of(const std::string& name) {
        const auto result = run_cycle(state_, kNow);
        Explanations explanations(state_, result);
        std::vector<std::string> made;
        for (std::size_t i = 0; i < result.refused.size(); ++i) {
            if (std::string(state_.workload_key(result.refused[i].workload)) != "ns/" + name) {
                continue;
            }
            for (const auto& constraint : explanations.of(i)) {
                std::string text = constraint.kind;
                for (const auto& remedy : constraint.remedies) {
                    text += " " + remedy;
                }
                made.push_back(text);
            }
        }
        return made;
    }

  private:
    static engine::Workload workload(
        const std::string& queue, const std::string& name, std::int64_t cpu, int priority
    ) {
        engine::Workload made{.ns = "ns", .name = name, .uid = name, .local_queue = queue};
        made.priority = priority;
        made.queue_order = kNow;
        made.generation = 1;
        made.pod_sets = {{.name = "main", .requests = {{.resource = "cpu", .amount = Amount(cpu)}}}
        };
        return made;
    }

    engine::State state_;
    int held_ = 1;
};

engine::Options fair_sharing() {
    engine::Options options;
    options.fair_sharing = true;
    return options;
}

using enum PreemptionPolicy;

TEST_CASE(
    "a workload that loses its room in its turn is told to preempt only where that cycle leaves "
    "victims",
    "[workload][explanation]"
) {
    Cluster cluster(fair_sharing());
    cluster.queue("p1", 4, Never, Any);
    cluster.queue("p2", 1, LowerPriority, Any);
    cluster.queue("x", 2, Never, Never);
    cluster.hold("x", "w1", 2, 0);
    cluster.hold("x", "w2", 2, 0);
    cluster.hold("p2", "w9", 1, 0);
    cluster.submit("p1", "a", 4, 5);
    cluster.submit("p2", "b", 2, 5);
    // With w1 gone for a, x is within its quota.
    const auto constraints = cluster.constraints_of("b");
    REQUIRE_FALSE(constraints.empty());
    for (const auto& constraint : constraints) {
        INFO(constraint);
        CHECK(constraint.find("preempt") == std::string::npos);
    }
}

TEST_CASE(
    "a workload that loses its room is told to preempt only where shares, with what it asks for, "
    "allow it",
    "[workload][explanation]"
) {
    for (const bool may_preempt : {false, true}) {
        Cluster cluster(fair_sharing());
        cluster.queue("lender", 10, Never, Never);
        cluster.queue("p1", 0, Never, Never);
        cluster.queue("p2", 0, LowerPriority, Any);
        cluster.queue("x", 0, Never, Never);
        cluster.hold("x", "w1", 4, 0);
        cluster.hold("p2", "w9", 1, 0);
        cluster.submit("p1", "a", may_preempt ? 1 : 4, 5);
        cluster.submit("p2", "b", may_preempt ? 3 : 5, 5);
        if (may_preempt) {
            cluster.hold("x", "w2", 2, 0);
        }
        const auto constraints = cluster.constraints_of("b");
        REQUIRE_FALSE(constraints.empty());
        const bool is_told = std::ranges::any_of(constraints, [](const std::string& constraint) {
            return constraint.find("preempt") != std::string::npos;
        });
        CHECK(is_told == may_preempt);
    }
}

TEST_CASE(
    "whether priority spares a workload does not depend on what else searches",
    "[workload][explanation]"
) {
    std::vector<std::vector<std::string>> told;
    for (const bool has_other : {false, true}) {
        Cluster cluster(fair_sharing());
        cluster.queue("lender", 100, Never, Never);
        cluster.queue("p", 0, Never, LowerPriority);
        cluster.queue("e", 0, Never, LowerPriority);
        cluster.queue("r", 0, Never, Never);
        cluster.queue("q", 0, Never, Never);
        cluster.hold("lender", "l", 40, 0);
        cluster.hold("q", "q1", 40, 0);
        cluster.hold("r", "r1", 20, 10);
        cluster.queue("q", 0, Never, Never, false);
        cluster.submit("p", "head", 30, 0);
        if (has_other) {
            cluster.submit("e", "ahead", 30, 0);
        }
        told.push_back(cluster.constraints_of("head"));
    }
    REQUIRE_FALSE(told.front().empty());
    CHECK(told.front() == told.back());
}

}  // namespace
}  // namespace sluice::workload
