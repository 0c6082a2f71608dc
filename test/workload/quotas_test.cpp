#include "workload/quotas.hpp"

#include "workload/objects.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>

namespace sluice::workload {
namespace {

std::string problem_of(std::string_view spec) {
    const auto problem = find_problem(object<api::ClusterQueue>(fmt::format("{{spec: {}}}", spec)));
    return problem ? problem->text() : "";
}

/// A group of cpu in flavor f with these fields of the quota.
std::string group(std::string_view quota) {
    return fmt::format(
        "resourceGroups: [{{coveredResources: [cpu], flavors: [{{name: f, resources: [{{name: cpu, "
        "{}}}]}}]}}]",
        quota
    );
}

struct Case {
    std::string spec;
    std::string problem;
};

}  // namespace

TEST_CASE("what only a webhook would refuse is found with its field", "[workload][quotas]") {
    const auto c = GENERATE(
        Case{
            "{cohortName: c, " + group("nominalQuota: 1, borrowingLimit: 1, lendingLimit: 1") + "}",
            ""
        },
        Case{
            "{" + group("nominalQuota: -1") + "}",
            "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: Invalid value: \"-1\": "
            "must be greater "
            "than or equal to 0"
        },
        Case{
            "{cohortName: c, " + group("nominalQuota: 1, borrowingLimit: -1") + "}",
            "spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit: Invalid value: \"-1\": "
            "must be greater "
            "than or equal to 0"
        },
        Case{
            "{" + group("nominalQuota: 1, borrowingLimit: 1") + "}",
            "spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit: Invalid value: \"1\": "
            "must be nil when "
            "cohort is empty"
        },
        Case{
            "{cohortName: c, " + group("nominalQuota: 1, lendingLimit: 2") + "}",
            "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: Invalid value: \"2\": "
            "must be less than or "
            "equal to the nominalQuota"
        },
        Case{
            "{resourceGroups: [{coveredResources: [cpu, cpu], flavors: []}]}",
            "spec.resourceGroups[0].coveredResources[1]: Duplicate value: \"cpu\""
        },
        Case{
            "{resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: "
            "cpu, nominalQuota: 1}]}]},"
            " {coveredResources: [memory], flavors: [{name: f, resources: [{name: memory, "
            "nominalQuota: 1}]}]}]}",
            "spec.resourceGroups[1].flavors[0].name: Duplicate value: \"f\""
        },
        Case{
            "{resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: []}]}]}",
            "spec.resourceGroups[0].flavors[0].resources: Invalid value: \"0\": must have one "
            "entry a covered resource"
        },
        Case{
            "{resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: "
            "memory, nominalQuota: 1}]}]}]}",
            "spec.resourceGroups[0].flavors[0].resources[0].name: Invalid value: \"memory\": must "
            "match the name in "
            "coveredResources"
        },
        Case{
            "{fairSharing: {weight: \"-1\"}}",
            "spec.fairSharing.weight: Invalid value: \"-1\": must be greater than or equal to 0"
        },
        Case{
            "{fairSharing: {weight: 1n}}",
            "spec.fairSharing.weight: Invalid value: \"1n\": must be 0 or greater than 10^-9"
        },
        Case{
            "{preemption: {reclaimWithinCohort: Never, borrowWithinCohort: {policy: "
            "LowerPriority}}}",
            "spec.preemption.borrowWithinCohort.policy: Invalid value: \"LowerPriority\": must be "
            "Never when "
            "reclaimWithinCohort is Never"
        }
    );
    CAPTURE(c.spec);
    CHECK(problem_of(c.spec) == c.problem);
}

TEST_CASE("a selector that cannot be read is a problem", "[workload][quotas]") {
    const auto text =
        problem_of("{namespaceSelector: {matchExpressions: [{key: a, operator: Near}]}}");
    CHECK(text.starts_with("spec.namespaceSelector"));
}

TEST_CASE("a cohort may lend more than its own quota", "[workload][quotas]") {
    const auto cohort = [](std::string_view parent) {
        return object<api::Cohort>(fmt::format(
            "{{spec: {{parentName: \"{}\", {}}}}}",
            parent,
            group("nominalQuota: 1, lendingLimit: 2")
        ));
    };
    CHECK_FALSE(find_problem(cohort("p")));
    CHECK(
        find_problem(cohort(""))->message ==
        "Invalid value: \"2\": must be nil when parent is empty"
    );
}

TEST_CASE("the engine gets a ClusterQueue with all its policies", "[workload][quotas]") {
    const auto made = to_engine(
        object<api::ClusterQueue>(
            "{metadata: {name: q}, spec: {cohortName: c, queueingStrategy: StrictFIFO, "
            "fairSharing: {weight: 1500m},"
            " flavorFungibility: {whenCanBorrow: TryNextFlavor, whenCanPreempt: MayStopSearch},"
            " preemption: {withinClusterQueue: LowerOrNewerEqualPriority, reclaimWithinCohort: Any,"
            " borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 7}},"
            " resourceGroups: [{coveredResources: [cpu, memory], flavors: [{name: f, resources:"
            " [{name: cpu, nominalQuota: 1500m, borrowingLimit: 1}, {name: memory, nominalQuota: "
            "1Gi}]}]}]}}"
        ),
        true
    );
    CHECK(made.cohort == "c");
    CHECK(made.strategy == engine::QueueingStrategy::StrictFIFO);
    CHECK(made.when_can_borrow == engine::FungibilityPolicy::TryNextFlavor);
    CHECK(made.when_can_preempt == engine::FungibilityPolicy::MayStopSearch);
    CHECK(
        made.preemption.within_cluster_queue == engine::PreemptionPolicy::LowerOrNewerEqualPriority
    );
    CHECK(made.preemption.reclaim_within_cohort == engine::PreemptionPolicy::Any);
    CHECK(made.preemption.borrow_within_cohort);
    CHECK(made.preemption.max_priority_threshold == 7);
    CHECK(made.fair_weight == 1.5);
    CHECK(made.accepts_workloads);
    REQUIRE(made.resource_groups.size() == 1);
    const auto& quotas = made.resource_groups[0].flavors.at(0).quotas;
    CHECK(
        quotas.at(0) ==
        engine::ResourceQuota{engine::Amount(1500), engine::Amount(1000), std::nullopt}
    );
    CHECK(quotas.at(1).nominal == engine::Amount(1 << 30));
}

TEST_CASE(
    "a malformed ClusterQueue reaches the engine without quota and accepts nothing",
    "[workload][quotas]"
) {
    const auto made = to_engine(
        object<api::ClusterQueue>(
            "{metadata: {name: q}, spec: {" + group("nominalQuota: -1") + "}}"
        ),
        true
    );
    CHECK(made.resource_groups.empty());
    CHECK_FALSE(made.accepts_workloads);
}

}  // namespace sluice::workload
