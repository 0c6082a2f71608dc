#include "engine/state/audit.hpp"

#include "engine/engine.hpp"
#include "engine/state/queues_editor.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace sluice::engine {
namespace {

constexpr Time kNow = Time(std::chrono::hours(24 * 365 * 50));

ClusterQueue queue_of(const std::string& name, const std::string& cohort) {
    return {
        .name = name,
        .cohort = cohort,
        .resource_groups = {{
            .covered_resources = {"cpu"},
            .flavors = {{.flavor = "default", .quotas = {{.nominal = Amount(10)}}}},
        }},
    };
}

/// One admitted workload in the ClusterQueue, which is also the name of its LocalQueue.
void admit_one(State& state, const std::string& queue) {
    apply(state, LocalQueueChanged{{.ns = "ns", .name = queue, .cluster_queue = queue}}, kNow);
    Workload workload{.ns = "ns", .name = queue, .uid = queue, .local_queue = queue};
    workload.pod_sets = {{.name = "main", .requests = {{.resource = "cpu", .amount = Amount(1)}}}};
    apply(state, WorkloadChanged{workload}, kNow);
    REQUIRE(run_cycle(state, kNow).admitted.size() == 1);
}

}  // namespace

TEST_CASE("an audit says in which tree something is inconsistent", "[engine][audit]") {
    State state{Options{}};
    apply(state, FlavorChanged{{.name = "default"}}, kNow);
    apply(state, CohortChanged{{.name = "team", .parent = "org"}}, kNow);
    apply(state, ClusterQueueChanged{queue_of("inside", "team")}, kNow);
    apply(state, ClusterQueueChanged{queue_of("alone", "")}, kNow);
    admit_one(state, "inside");
    admit_one(state, "alone");
    REQUIRE(audit(state).empty());

    const bool is_inside = GENERATE(true, false);
    const std::string broken = is_inside ? "inside" : "alone";
    const WorkloadIndex workload = state.find_workload("ns/" + broken);
    QueuesEditor(state, kNow).push(workload);  // it holds quota and must not queue
    const auto findings = audit(state);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].what == "a queued workload may not queue: ns/" + broken);
    CHECK(state.node_name(findings[0].root) == (is_inside ? "org" : "alone"));

    QueuesEditor(state, kNow).take(workload);
    CHECK(audit(state).empty());
}

}  // namespace sluice::engine
