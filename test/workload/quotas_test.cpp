#include "workload/translation/quotas.hpp"

#include "support/objects.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>

namespace sluice::workload {
namespace {

using test::object;

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

/// What the API server says of a text that is no name, and of one that is no value of a label.
const std::string kNoName =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const std::string kNoValue =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

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
            "spec.resourceGroups[0].flavors[0].resources: Invalid value: 0: must have one "
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
            "spec.fairSharing: Invalid value: \"-1\": must be greater than or equal to 0"
        },
        Case{
            "{fairSharing: {weight: 1n}}",
            "spec.fairSharing: Invalid value: \"1n\": When not 0, weight must be > 10e-9"
        },
        Case{
            "{preemption: {reclaimWithinCohort: Never, borrowWithinCohort: {policy: "
            "LowerPriority}}}",
            "spec.preemption: Invalid value: "
            "{\"reclaimWithinCohort\":\"Never\",\"borrowWithinCohort\":{\"policy\":"
            "\"LowerPriority\"},\"withinClusterQueue\":\"Never\"}: reclaimWithinCohort=Never and "
            "borrowWithinCohort.Policy!=Never"
        }
    );
    CAPTURE(c.spec);
    CHECK(problem_of(c.spec) == c.problem);
}

TEST_CASE(
    "what a ClusterQueue names must be there and have the form of a name", "[workload][quotas]"
) {
    const std::string quota = group("nominalQuota: 1");
    const auto c = GENERATE_COPY(
        Case{
            "{" + quota +
                ", admissionChecksStrategy: {admissionChecks: [{name: a, onFlavors: [f]}]}}",
            ""
        },
        Case{
            "{" + quota +
                ", admissionChecksStrategy: {admissionChecks: [{name: a}, {name: b, onFlavors: [f, "
                "g]}]}}",
            "spec.admissionChecksStrategy.admissionChecks[1].onFlavors[1]: Unsupported value: "
            "\"g\": supported values: \"f\""
        },
        Case{
            "{resourceGroups: [{coveredResources: [cpu, \"a b\"], flavors: []}]}",
            "spec.resourceGroups[0].coveredResources[1]: Invalid value: \"a b\": " + kNoName
        },
        Case{
            "{resourceGroups: [{coveredResources: [Example.com/gpu], flavors: []}]}",
            "spec.resourceGroups[0].coveredResources[0]: Invalid value: \"Example.com/gpu\": "
            "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
            "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
            "'example.com', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
        },
        Case{
            "{flavorFungibility: {whenCanBorrow: TryNextFlavor, preference: "
            "BorrowingOverPreemption}}",
            ""
        },
        Case{
            "{flavorFungibility: {whenCanBorrow: MayStopSearch, preference: "
            "BorrowingOverPreemption}}",
            "spec.flavorFungibility.preference: Invalid value: \"BorrowingOverPreemption\": "
            "preference \"BorrowingOverPreemption\" requires both whenCanBorrow and whenCanPreempt "
            "to be TryNextFlavor"
        }
    );
    CAPTURE(c.spec);
    CHECK(problem_of(c.spec) == c.problem);
}

TEST_CASE("a ClusterQueue has so many flavors and resources and no more", "[workload][quotas]") {
    api::ClusterQueue queue;
    const auto add_group = [&queue](int number, int resources, int flavors) {
        auto& made = queue.spec.resource_groups.emplace_back();
        for (int r = 0; r < resources; ++r) {
            made.covered_resources.push_back(fmt::format("r-{}-{}", number, r));
        }
        for (int f = 0; f < flavors; ++f) {
            auto& flavor = made.flavors.emplace_back();
            flavor.name = fmt::format("f-{}-{}", number, f);
            for (const auto& resource : made.covered_resources) {
                flavor.resources.push_back({resource, {}, {}, {}});
            }
        }
    };
    const auto problem = [&queue] {
        const auto found = find_problem(queue);
        return found ? found->text() : std::string();
    };
    for (int i = 0; i < 4; ++i) {
        add_group(i, 8, 64);
    }
    CHECK(problem() == "");
    add_group(4, 1, 1);
    CHECK(
        problem() ==
        "spec.resourceGroups: Invalid value: 257: total number of flavors across all "
        "resourceGroups must be ≤ 256, got 257"
    );
    queue.spec.resource_groups.clear();
    for (int i = 0; i < 4; ++i) {
        add_group(i, 64, 8);
    }
    CHECK(problem() == "");
    add_group(4, 1, 1);
    CHECK(
        problem() ==
        "spec.resourceGroups: Invalid value: 257: total number of covered resources across all "
        "resourceGroups must be ≤ 256, got 257"
    );
    queue.spec.resource_groups.clear();
    add_group(0, 27, 19);
    CHECK(
        problem() ==
        "spec.resourceGroups[0]: Invalid value: 513: number of flavor-resource combinations "
        "in a resourceGroup must be ≤ 512, got 513"
    );
}

TEST_CASE(
    "a ClusterQueue whose quota is sound keeps it while it is inactive", "[workload][quotas]"
) {
    const auto made = to_engine(
        object<api::ClusterQueue>(
            "{metadata: {name: q}, spec: {" + group("nominalQuota: 1") +
            ", admissionChecksStrategy: {admissionChecks: [{name: a, onFlavors: [none]}]}}}"
        ),
        true
    );
    CHECK(made.resource_groups.size() == 1);
    CHECK_FALSE(made.accepts_workloads);
}

TEST_CASE("what only a webhook would refuse of a flavor is found", "[workload][quotas]") {
    const auto c = GENERATE(
        Case{
            "{nodeLabels: {example.com/tier: \"\"}, nodeTaints: [{key: a, effect: NoSchedule}, "
            "{key: a, effect: NoExecute}], tolerations: [{operator: Exists}, {key: a.b/c}]}",
            ""
        },
        Case{
            "{nodeLabels: {tier: \"a b\"}}", "spec.nodeLabels: Invalid value: \"a b\": " + kNoValue
        },
        Case{
            "{nodeLabels: {\"-tier\": a}}", "spec.nodeLabels: Invalid value: \"-tier\": " + kNoName
        },
        Case{
            "{nodeTaints: [{key: a, effect: NoSchedule}, {key: \"\", effect: NoSchedule}]}",
            "spec.nodeTaints[1].key: Invalid value: \"\": name part must be non-empty"
        },
        Case{
            "{nodeTaints: [{key: a, value: b/c, effect: NoSchedule}]}",
            "spec.nodeTaints[0].value: Invalid value: \"b/c\": " + kNoValue
        },
        Case{
            "{nodeTaints: [{key: a, effect: NoSchedule}, {key: a, value: b, effect: NoSchedule}]}",
            "spec.nodeTaints[1]: Duplicate value: "
            "{\"key\":\"a\",\"value\":\"b\",\"effect\":\"NoSchedule\"}: taints must be unique by "
            "key and effect pair"
        },
        Case{
            "{tolerations: [{key: a b}]}",
            "spec.tolerations[0].key: Invalid value: \"a b\": " + kNoName
        }
    );
    CAPTURE(c.spec);
    const auto problem =
        find_problem(object<api::ResourceFlavor>(fmt::format("{{spec: {}}}", c.spec)));
    CHECK((problem ? problem->text() : "") == c.problem);
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
        find_problem(cohort(""))->message() ==
        "Invalid value: \"2\": must be nil when parent is empty"
    );
}

TEST_CASE("a cohort keeps its quota when only a name in it is odd", "[workload][quotas]") {
    const auto cohort = object<api::Cohort>(
        "{metadata: {name: c}, spec: {resourceGroups: [{coveredResources: [\"a b\"], flavors: "
        "[{name: f, resources: [{name: \"a b\", nominalQuota: 1}]}]}]}}"
    );
    CHECK(find_problem(cohort));
    CHECK_FALSE(find_quota_problem(cohort));
    CHECK(to_engine(cohort).resource_groups.size() == 1);
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
