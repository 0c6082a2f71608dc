#include "controller/commands/schedule/schedule_configuration.hpp"
#include "controller/commands/schedule/schedule_input.hpp"
#include "controller/commands/schedule/schedule_simulation.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace sluice::commands {
namespace {

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};

ScheduleReport decide(
    const std::string& objects,
    const ScheduleLimit& limit = {},
    const ScheduleConfiguration& configuration = {}
) {
    auto input = read_input({{.name = "f", .text = objects}});
    REQUIRE(input.problems.empty());
    return ScheduleSimulation(
               std::move(input.cluster), configuration.settings, configuration.options, kNow
    )
        .run(limit);
}

std::string cohort(const std::string& name, const std::string& parent) {
    return "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: " + name +
           "}, spec: {parentName: " + parent + "}}\n---\n";
}

std::string queue(const std::string& name, const std::string& rest) {
    return "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: " + name +
           "}, spec: {namespaceSelector: {}" + rest + "}}\n---\n";
}

}  // namespace

TEST_CASE(
    "each cycle of cohorts is told once, the cohorts below it are not", "[commands][schedule]"
) {
    const auto report = decide(
        cohort("a", "b") + cohort("b", "a") + cohort("c", "c") + cohort("d", "a") +
        cohort("e", "d") + cohort("f", "g") + cohort("g", "h")
    );
    const std::string rest = ": nothing is admitted in their tree";
    CHECK(
        report.notes ==
        std::vector<std::string>{
            "the parents of cohorts form the cycle a -> b -> a" + rest,
            "the parents of cohorts form the cycle c -> c" + rest,
        }
    );
}

TEST_CASE(
    "an inactive ClusterQueue is told with the reason of its condition", "[commands][schedule]"
) {
    const auto report = decide(
        cohort("a", "b") + cohort("b", "a") + queue("free", "") +
        queue("held", ", stopPolicy: Hold") + queue("looped", ", cohortName: a")
    );
    REQUIRE(report.inactive.size() == 2);
    CHECK(report.inactive.at("held").reason == "Stopped");
    CHECK(report.inactive.at("looped").reason == "HasCycle");
}

TEST_CASE("a workload whose queue may not reclaim its quota is told so", "[commands][schedule]") {
    const auto explained = [](const std::string& policy) {
        const std::string quota =
            ", cohortName: c, resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, "
            "resources: [{name: cpu, nominalQuota: 10}]}]}]";
        const std::string own = "apiVersion: kueue.x-k8s.io/v1beta2, kind: ";
        const std::string pods =
            "podSets: [{name: main, count: 1, template: {spec: {restartPolicy: Never, containers: "
            "[{name: c, image: i, resources: {requests: {cpu: ";
        const auto report = decide(
            "{apiVersion: v1, kind: Namespace, metadata: {name: ns}}\n---\n{" + own +
                "ResourceFlavor, metadata: {name: f}}\n---\n{" + own +
                "LocalQueue, metadata: {name: q, namespace: ns}, spec: {clusterQueue: q}}\n---\n" +
                queue("q", quota + ", preemption: {reclaimWithinCohort: " + policy + "}") +
                queue("lender", quota) + "{" + own +
                "Workload, metadata: {name: hog, namespace: ns}, spec: {queueName: q, priority: "
                "9, " +
                pods +
                "20}}}]}}}]}, status: {admission: {clusterQueue: lender, "
                "podSetAssignments: [{name: main, count: 1, flavors: {cpu: f}, resourceUsage: "
                "{cpu: 20}}]}, conditions: [{type: QuotaReserved, status: 'True', reason: r, "
                "message: '', lastTransitionTime: '2023-01-01T00:00:00Z'}]}}\n---\n{" +
                own + "Workload, metadata: {name: mine, namespace: ns}, spec: {queueName: q, " +
                pods + "10}}}]}}}]}}\n",
            {}
        );
        REQUIRE(report.cycles.size() == 1);
        REQUIRE(report.cycles[0].refused.size() == 1);
        return report.cycles[0].refused[0].constraints.front().reclaim;
    };
    CHECK(explained("Never") == "Never");
    CHECK(explained("LowerPriority") == "LowerPriority");
    CHECK(explained("Any").empty());
}

TEST_CASE(
    "a workload that had no turn in the cycles is not said to be evicted", "[commands][schedule]"
) {
    std::string objects =
        "{apiVersion: v1, kind: Namespace, metadata: {name: ns}}\n---\n"
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f}}\n---\n"
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: q, namespace: "
        "ns}, spec: {clusterQueue: q}}\n---\n" +
        queue(
            "q",
            ", resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: "
            "cpu, nominalQuota: 99}]}]}]"
        );
    for (int i = 0; i < 61; ++i) {
        objects += "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: w" +
                   std::to_string(i) +
                   ", namespace: ns}, spec: {queueName: q, podSets: [{name: main, count: 1, "
                   "template: {spec: {restartPolicy: Never, containers: [{name: c, image: i, "
                   "resources: {requests: {cpu: 1}}}]}}}]}}\n---\n";
    }
    const auto report = decide(objects, {.cycles = 60, .until_stable = true});
    CHECK(report.cycles.size() == 60);
    REQUIRE(report.notes.size() == 1);
    CHECK(
        report.notes[0] ==
        "stopped after 60 cycles, before all workloads were tried; increase --max-cycles"
    );
    CHECK(decide(objects, {.cycles = 61, .until_stable = true}).notes.empty());
}

/// One ClusterQueue of 2 cpu, whose preemption is `preemption`, with the LocalQueues low and high,
/// of which high has used more.
std::string contested_queue(const std::string& preemption) {
    const auto local_queue = [](const std::string& name, const std::string& used) {
        return "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: " + name +
               ", namespace: ns}, spec: {clusterQueue: q}, status: {fairSharing: {weightedShare: "
               "0, admissionFairSharingStatus: {lastUpdate: '2023-11-14T22:13:20Z', "
               "consumedResources: {cpu: '" +
               used + "'}}}}}\n---\n";
    };
    return "{apiVersion: v1, kind: Namespace, metadata: {name: ns}}\n---\n"
           "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: "
           "f}}\n---\n" +
           local_queue("low", "0") + local_queue("high", "1000") +
           queue(
               "q",
               ", preemption: {withinClusterQueue: " + preemption +
                   "}, admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}, "
                   "resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: "
                   "[{name: cpu, nominalQuota: 2}]}]}]"
           );
}

std::string workload_of(const std::string& queue, const std::string& name, int priority, int cpu) {
    return "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: " + name +
           ", namespace: ns}, spec: {queueName: " + queue +
           ", priority: " + std::to_string(priority) +
           ", podSets: [{name: main, count: 1, template: {spec: {restartPolicy: Never, "
           "containers: [{name: c, image: i, resources: {requests: {cpu: " +
           std::to_string(cpu) + "}}}]}}}]}}\n---\n";
}

TEST_CASE(
    "that workloads keep evicting each other is said of those evicted again and again",
    "[commands][schedule]"
) {
    // The workload that has used less comes first, and the one of higher priority evicts it again.
    const auto configuration = read_configuration(
        "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
        "admissionFairSharing: {usageHalfLifeTime: 1h, usageSamplingInterval: 1m}\n",
        "configuration.yaml"
    );
    REQUIRE(configuration);
    const std::string objects = contested_queue("LowerPriority") +
                                workload_of("low", "loser", 0, 2) +
                                workload_of("high", "winner", 1, 2);
    const auto report = decide(objects, {.cycles = 30, .until_stable = true}, *configuration);
    REQUIRE(report.notes.size() == 1);
    CHECK(
        report.notes[0].starts_with("stopped after 30 cycles: workloads keep evicting each other "
                                    "(ns/loser was evicted 3 times by cycle ")
    );
}

TEST_CASE("evictions of one after the other are no quarrel", "[commands][schedule]") {
    std::string objects = contested_queue("LowerPriority");
    for (int i = 0; i < 8; ++i) {
        objects += workload_of("low", "w" + std::to_string(i), i, 2);
    }
    const auto report = decide(objects, {.cycles = 7, .until_stable = true});
    CHECK(
        report.notes ==
        std::vector<std::string>{
            "stopped after 7 cycles, before all workloads were tried; increase --max-cycles"
        }
    );
}

TEST_CASE("quota of a ClusterQueue that is not there is remarked", "[commands][schedule]") {
    const auto holder = [](const std::string& name) {
        std::string made = workload_of("low", name, 0, 1);
        made.erase(made.rfind("}\n---\n"));
        return made +
               ", status: {admission: {clusterQueue: gone, podSetAssignments: [{name: main, count: "
               "1, flavors: {cpu: f}, resourceUsage: {cpu: 1}}]}, conditions: [{type: "
               "QuotaReserved, status: 'True', reason: QuotaReserved, message: '', "
               "lastTransitionTime: '2023-01-01T00:00:00Z'}]}}\n---\n";
    };
    const std::string rest =
        " quota of ClusterQueue gone, which is not in the input: it is not counted";
    CHECK(
        decide(contested_queue("Never") + holder("a")).notes ==
        std::vector<std::string>{"ns/a holds" + rest}
    );
    CHECK(
        decide(contested_queue("Never") + holder("a") + holder("b")).notes ==
        std::vector<std::string>{"ns/a and 1 more workloads hold" + rest}
    );
}

TEST_CASE(
    "a workload that holds quota and waits for a check is listed with it", "[commands][schedule]"
) {
    const std::string pods =
        "podSets: [{name: main, count: 1, template: {spec: {restartPolicy: Never, containers: "
        "[{name: c, image: i, resources: {requests: {cpu: 1}}}]}}}]}";
    const std::string workload =
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {namespace: ns, name: ";
    const auto report = decide(
        "{apiVersion: v1, kind: Namespace, metadata: {name: ns}}\n---\n"
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: AdmissionCheck, metadata: {name: budget}, "
        "spec: {controllerName: c}, status: {conditions: [{type: Active, status: 'True', reason: "
        "Active, message: '', lastTransitionTime: '2023-01-01T00:00:00Z'}]}}\n---\n"
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f}}\n---\n"
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: q, namespace: "
        "ns}, spec: {clusterQueue: q}}\n---\n" +
        queue(
            "q",
            ", admissionChecksStrategy: {admissionChecks: [{name: budget}]}, resourceGroups: "
            "[{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: "
            "9}]}]}]"
        ) +
        workload + "new}, spec: {queueName: q, " + pods + "}\n---\n" + workload +
        "old}, spec: {queueName: q, " + pods +
        ", status: {admission: {clusterQueue: q, podSetAssignments: [{name: main, flavors: {cpu: "
        "f}, resourceUsage: {cpu: 1}, count: 1}]}, conditions: [{type: QuotaReserved, status: "
        "'True', reason: QuotaReserved, message: '', lastTransitionTime: '2023-01-01T00:00:00Z'}], "
        "admissionChecks: [{name: budget, state: Rejected, message: no money, lastTransitionTime: "
        "'2023-01-01T00:00:00Z'}]}}\n"
    );
    REQUIRE(report.waiting.size() == 2);
    CHECK(report.waiting[0].workloads == std::vector<std::string>{"ns/new"});
    CHECK(report.waiting[0].reason == "UnsatisfiedChecks");
    CHECK(report.waiting[0].details == "quota is reserved; admission check budget is Pending");
    CHECK(
        report.waiting[1].details ==
        "quota is reserved; admission check budget is Rejected: no money"
    );
}

TEST_CASE("an admitted or finished workload waits for nothing", "[commands][schedule]") {
    const auto report = decide(
        "{apiVersion: v1, kind: Namespace, metadata: {name: ns}}\n---\n" +
        queue("cq", ", resourceGroups: []") +
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: q, namespace: "
        "ns}, "
        "spec: {clusterQueue: cq}}\n---\n"
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: held, namespace: "
        "ns}, "
        "spec: {queueName: q, podSets: [{name: main, count: 1, template: {spec: {containers: "
        "[{name: c}]}}}]}, status: {admission: {clusterQueue: cq, podSetAssignments: [{name: "
        "main}]}, "
        "conditions: [{type: QuotaReserved, status: 'True', reason: QuotaReserved, message: '', "
        "lastTransitionTime: '2026-01-01T00:00:00Z'}]}}\n---\n"
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: done, namespace: "
        "ns}, "
        "spec: {queueName: nowhere, podSets: [{name: main, count: 1, template: {spec: {containers: "
        "[{name: c}]}}}]}, status: {conditions: [{type: Finished, status: 'True', reason: "
        "Succeeded, "
        "message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}]}}\n"
    );
    CHECK(report.waiting.empty());
    CHECK(report.notes == std::vector<std::string>{"ns/done is finished and takes no part"});
}

}  // namespace sluice::commands
