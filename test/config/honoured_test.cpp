#include "config/honoured.hpp"

#include "config/parse_text.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <map>
#include <string>
#include <vector>

namespace sluice::config {
namespace {

std::vector<std::string> texts_of(const std::vector<Problem>& problems) {
    std::vector<std::string> texts;
    for (const Problem& problem : problems) {
        texts.push_back(to_string(problem));
    }
    return texts;
}

std::vector<std::string> unsupported(
    const std::string& members,
    Command command,
    std::string_view gates = "",
    std::string_view version = "v1beta2"
) {
    const auto read = test::parse_members(version, members);
    REQUIRE(read);
    const auto parsed = FeatureGates::parse(gates);
    REQUIRE(parsed);
    return texts_of(unsupported_settings(*read, *parsed, command));
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("the controller takes what it acts upon", "[config][honoured]") {
    const auto* members = GENERATE(
        "",
        R"("namespace":"other")",
        R"("managedJobsNamespaceSelector":{"matchLabels":{"a":"b"}})",
        R"("webhook":{"port":1,"host":"h","certDir":"/c"})",
        R"("leaderElection":{"leaderElect":false})",
        R"("metrics":{"bindAddress":"0"})",
        R"("metrics":{"enableClusterQueueResources":true})",
        R"("metrics":{"localQueueMetrics":{"enable":false}})",
        R"("health":{"healthProbeBindAddress":":1"})",
        R"("internalCertManagement":{"enable":false})",
        R"("clientConnection":{"qps":-1})",
        R"("controller":{"groupKindConcurrency":{"Job.batch":5},"cacheSyncTimeout":1})",
        R"("integrations":{"frameworks":["batch/job"]})",
        R"("integrations":{"externalFrameworks":["Flow.v1.example.com"]})"
    );
    CAPTURE(members);
    CHECK(unsupported(members, Command::Controller).empty());
}

TEST_CASE("the controller names what it would not act upon", "[config][honoured]") {
    struct Row {
        const char* members;
        Names names;
    };
    const auto row = GENERATE(
        Row{R"("waitForPodsReady":{})", {}},
        Row{R"("fairSharing":{"preemptionStrategies":["LessThanInitialShare"]})", {}},
        Row{R"("admissionFairSharing":{})", {}},
        Row{R"("integrations":{"frameworks":["batch/job","pod","workload.codeflare.dev/appwrapper"],
                "labelKeysToCopy":["k"]})",
            {}},
        Row{R"("metrics":{"localQueueMetrics":{"enable":true,
                "localQueueSelector":{"matchLabels":{"a":"b"}}},
                "customLabels":[{"name":"team"}]})",
            {}},
        Row{R"("multiKueue":{"origin":"x"})", {"multiKueue: is not supported"}},
        Row{R"("resources":{"excludeResourcePrefixes":["x"],"quotaCheckStrategy":"IgnoreUndeclared",
                "transformations":[{"input":"a"}],"deviceClassMappings":[{"name":"d"}]})",
            {"resources.deviceClassMappings: is not supported"}},
        Row{R"("objectRetentionPolicies":{"workloads":{"afterFinished":"1h"}})", {}},
        Row{R"("pprofBindAddress":":1","tls":{})", {}}
    );
    CAPTURE(row.members);
    CHECK(unsupported(row.members, Command::Controller) == row.names);
}

TEST_CASE("a setting that equals its default asks for nothing", "[config][honoured]") {
    CHECK(unsupported(
              R"("multiKueue":{"gcInterval":"60s"},"pprofBindAddress":"",
                 "resources":{"quotaCheckStrategy":"BlockUndeclared"},
                 "visibilityServer":{"bindPort":8082},
                 "metrics":{"localQueueMetrics":{"enable":true}})",
              Command::Controller
    )
              .empty());
    CHECK(unsupported(
              R"("waitForPodsReady":{"enable":false},"fairSharing":{"enable":false})",
              Command::Controller,
              "",
              "v1beta1"
    )
              .empty());
}

TEST_CASE("a feature that is not built may be off, not on", "[config][honoured]") {
    CHECK(unsupported("", Command::Controller, "VisibilityOnDemand=false,MultiKueue=false").empty()
    );
    CHECK(unsupported("", Command::Controller, "PriorityBoost=true").empty());
    CHECK(
        unsupported("", Command::Controller, "FailureRecoveryPolicy=true") ==
        Names{"--feature-gates: FailureRecoveryPolicy is not supported"}
    );
    CHECK(unsupported("", Command::Controller, "DisableWaitForPodsReady=true").empty());
}

TEST_CASE("a file that names a feature that is not built asks for it", "[config][honoured]") {
    CHECK(
        unsupported("", Command::Controller, "MultiKueue=true") ==
        Names{"--feature-gates: MultiKueue is not supported"}
    );
    CHECK(unsupported(R"("featureGates":{})", Command::Controller).empty());
    CHECK(unsupported("", Command::Controller, "AllBeta=true").empty());
    CHECK(unsupported("", Command::Controller, "AllBeta=false").empty());
    CHECK(unsupported("", Command::Controller, "UnadmittedWorkloadsExplicitStatus=true").empty());
    CHECK(unsupported("", Command::Controller, "PartialAdmission=true").empty());
    CHECK(unsupported("", Command::Controller, "TopologyAwareScheduling=true").empty());
    const std::map<std::string, bool> in_file{{"MultiKueue", true}};
    const auto gates = FeatureGates::load("", in_file);
    REQUIRE(gates);
    const auto read = test::parse_members("v1beta2", "");
    REQUIRE(read);
    CHECK(
        texts_of(unsupported_settings(*read, *gates, Command::Schedule)) ==
        Names{"featureGates.MultiKueue: is not supported"}
    );
}

TEST_CASE("the gate of what is built may be set either way", "[config][honoured]") {
    const auto* gate = GENERATE(
        "AdmissionGatedBy",
        "AssignQueueLabelsForPods",
        "CustomMetricLabels",
        "MultiKueueOrchestratedPreemption",
        "TASAssignmentsEncodingByHostnamePrefix",
        "TASCacheNodeMatchResults",
        "TASValidateWorkloadSliceSize",
        "ElasticJobsViaWorkloadSlices",
        "FinishOrphanedWorkloads",
        "LocalQueueMetrics",
        "MetricsForCohorts",
        "ShortWorkloadNames",
        "SkipReassignmentForPodOwnedWorkloads",
        "MetricForWorkloadCreationLatency",
        "RejectUpdatesToCQWithInvalidOnFlavors",
        "RemoveFinalizersWithStrictPatch",
        "SkipAncestorCheckForDeletedWorkloads",
        "UnadmittedWorkloadsObservability",
        "WorkloadPriorityClassDefaulting",
        "WorkloadRequestUseMergePatch",
        "WorkloadValidateResourcesAreNonNegative",
        "WorkloadValidationForPodSetMetadata"
    );
    CAPTURE(gate);
    CHECK(unsupported("", Command::Controller, std::string(gate) + "=true").empty());
    CHECK(unsupported("", Command::Controller, std::string(gate) + "=false").empty());
}

TEST_CASE("schedule takes the policies and passes over the process", "[config][honoured]") {
    CHECK(unsupported(
              R"("fairSharing":{"preemptionStrategies":["LessThanInitialShare"]},
                 "admissionFairSharing":{"usageHalfLifeTime":"10m"},
                 "waitForPodsReady":{"requeuingStrategy":{"timestamp":"Creation"}},
                 "resources":{"transformations":[{"input":"a"}]},"pprofBindAddress":":1",
                 "metrics":{"enableClusterQueueResources":true},"tls":{})",
              Command::Schedule
    )
              .empty());
    // Of a running process, which `schedule` is not.
    CHECK(unsupported(
              R"("objectRetentionPolicies":{"workloads":{"afterFinished":"1h"}})", Command::Schedule
    )
              .empty());
    CHECK(
        unsupported(R"("multiKueue":{"origin":"x"})", Command::Schedule) ==
        Names{"multiKueue: is not supported"}
    );
}

}  // namespace sluice::config
