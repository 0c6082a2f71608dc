#include "config/validation.hpp"

#include "config/parse_text.hpp"
#include "job_kinds/frameworks.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace sluice::config {
namespace {

std::vector<std::string> violations(
    const std::string& members, std::string_view gates = "", std::string_view version = "v1beta2"
) {
    const auto read = test::parse_members(version, members);
    REQUIRE(read);
    const auto parsed = FeatureGates::parse(gates);
    REQUIRE(parsed);
    std::vector<std::string> texts;
    for (const Problem& problem : validate(*read, *parsed, job_kinds::known_frameworks())) {
        texts.push_back(to_string(problem));
    }
    return texts;
}

/// `count` copies of the text, joined by commas, with # replaced by the copy's number.
std::string repeat(const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
        auto one = text;
        const auto mark = one.find('#');
        if (mark != std::string::npos) {
            one.replace(mark, 1, std::to_string(i));
        }
        all += (i == 0 ? "" : ",") + one;
    }
    return all;
}

}  // namespace

TEST_CASE("the defaults of both versions are valid", "[config][validation]") {
    CHECK(violations("").empty());
    CHECK(violations("", "", "v1beta1").empty());
}

TEST_CASE("what the shipped manifest of Kueue says is valid", "[config][validation]") {
    CHECK(violations(R"(
        "health":{"healthProbeBindAddress":":8081"},
        "metrics":{"bindAddress":":8443","enableClusterQueueResources":true},
        "webhook":{"port":9443},
        "leaderElection":{"leaderElect":true,"resourceName":"c1f6bfd2.kueue.x-k8s.io"},
        "controller":{"groupKindConcurrency":{"Job.batch":5,"Pod":5,
            "Workload.kueue.x-k8s.io":10}},
        "clientConnection":{"qps":50,"burst":100},
        "integrations":{"frameworks":["batch/job","kubeflow.org/mpijob","ray.io/rayjob",
            "ray.io/raycluster","ray.io/rayservice","jobset.x-k8s.io/jobset",
            "workload.codeflare.dev/appwrapper","trainer.kubeflow.org/trainjob","pod",
            "deployment","statefulset","leaderworkerset.x-k8s.io/leaderworkerset"]},
        "fairSharing":{"preemptionStrategies":["LessThanOrEqualToFinalShare",
            "LessThanInitialShare"]})")
              .empty());
}

TEST_CASE("lease times that two leaders cannot come of are valid", "[config][validation]") {
    CHECK(violations(R"("leaderElection":{"leaseDuration":"10001ms","renewDeadline":"9s"})").empty()
    );
    CHECK(violations(R"("leaderElection":{"leaseDuration":"1s","renewDeadline":"25ms",
        "retryPeriod":"20ms"})")
              .empty());
    CHECK(violations(R"("admissionFairSharing":{"usageSamplingInterval":"1s"})").empty());
    CHECK(violations(R"("leaderElection":{"leaderElect":false,"leaseDuration":"1s"})").empty());
}

TEST_CASE("each rule on settings finds its violation", "[config][validation]") {
    struct Row {
        const char* members;
        const char* expected;
    };
    const auto row = GENERATE(
        Row{R"("waitForPodsReady":{"timeout":"-1s"})", "waitForPodsReady.timeout: must be greater"},
        Row{R"("waitForPodsReady":{"recoveryTimeout":"-1s"})", "waitForPodsReady.recoveryTimeout: "
        },
        Row{R"("waitForPodsReady":{"requeuingStrategy":{"timestamp":"Now"}})",
            "requeuingStrategy.timestamp: \"Now\" is not one of Creation, Eviction"},
        Row{R"("waitForPodsReady":{"requeuingStrategy":{"backoffLimitCount":-1}})",
            "requeuingStrategy.backoffLimitCount: must be greater"},
        Row{R"("waitForPodsReady":{"requeuingStrategy":{"backoffBaseSeconds":-1}})",
            "requeuingStrategy.backoffBaseSeconds: must be greater"},
        Row{R"("waitForPodsReady":{"requeuingStrategy":{"backoffMaxSeconds":-1}})",
            "requeuingStrategy.backoffMaxSeconds: must be greater"},
        Row{R"("integrations":{"frameworks":["cronjob"]})",
            "integrations.frameworks[0]: \"cronjob\" is not one of batch/job, deployment"},
        Row{R"("integrations":{"frameworks":["mpijob"]})", "; did you mean \"kubeflow.org/mpijob\"?"
        },
        Row{R"("integrations":{"frameworks":["pod","pod"]})",
            "frameworks[1]: \"pod\" is there twice"},
        Row{R"("integrations":{"frameworks":["sparkoperator.k8s.io/sparkapplication"]})",
            "frameworks[0]: \"sparkoperator.k8s.io/sparkapplication\" is alpha: enable the feature "
            "gate SparkApplicationIntegration"},
        Row{R"("integrations":{"externalFrameworks":["Job"]})",
            "externalFrameworks[0]: \"Job\" is not of the form"},
        Row{R"("integrations":{"externalFrameworks":["Job.v1.batch"]})",
            "externalFrameworks[0]: \"Job.v1.batch\" is there twice"},
        Row{R"("multiKueue":{"gcInterval":"-1s"})", "multiKueue.gcInterval: "},
        Row{R"("multiKueue":{"workerLostTimeout":"-1s"})", "multiKueue.workerLostTimeout: "},
        Row{R"("multiKueue":{"origin":"a/b"})", "multiKueue.origin: \"a/b\" is not a label value"},
        Row{R"("multiKueue":{"externalFrameworks":[{"name":"a"}]})",
            "externalFrameworks[0].name: \"a\" is not of the form"},
        Row{R"("multiKueue":{"externalFrameworks":[{"name":"A.v1.b"},{"name":"A.v1.b"}]})",
            "externalFrameworks[1].name: \"A.v1.b\" is there twice"},
        Row{R"("multiKueue":{"externalFrameworks":[{"name":"Job.v1.batch"}]})",
            "externalFrameworks[0].name: \"Job.v1.batch\" is the kind of a listed framework"},
        Row{R"("multiKueue":{"incrementalDispatcherConfig":{}})",
            "multiKueue.incrementalDispatcherConfig: is only valid with"},
        Row{R"("multiKueue":{"dispatcherName":"kueue.x-k8s.io/multikueue-dispatcher-incremental",
            "incrementalDispatcherConfig":{"stepSize":0}})",
            "incrementalDispatcherConfig.stepSize: must be greater"},
        Row{R"("multiKueue":{"clusterProfile":{"accessProviders":[{}]}})",
            "accessProviders[0].execConfig.command: must be specified"},
        Row{R"("fairSharing":{})", "fairSharing.preemptionStrategies: must be specified"},
        Row{R"("fairSharing":{"preemptionStrategies":["LessThanInitialShare",
            "LessThanOrEqualToFinalShare"]})",
            "fairSharing.preemptionStrategies: [LessThanInitialShare, "},
        Row{R"("admissionFairSharing":{"usageHalfLifeTime":"-1s"})",
            "admissionFairSharing.usageHalfLifeTime: "},
        Row{R"("admissionFairSharing":{"usageSamplingInterval":"-1s"})",
            "admissionFairSharing.usageSamplingInterval: must be at least 1s"},
        Row{R"("admissionFairSharing":{"usageSamplingInterval":"1ns"})",
            "admissionFairSharing.usageSamplingInterval: must be at least 1s"},
        Row{R"("admissionFairSharing":{"usageSamplingInterval":"999ms"})",
            "admissionFairSharing.usageSamplingInterval: must be at least 1s"},
        Row{R"("admissionFairSharing":{"resourceWeights":{"cpu":-1}})",
            "admissionFairSharing.resourceWeights[cpu]: "},
        Row{R"("leaderElection":{"leaseDuration":"10s"})",
            "leaderElection.leaseDuration: counts as 10s and must be greater than renewDeadline"},
        Row{R"("leaderElection":{"leaseDuration":"10900ms","renewDeadline":"10500ms"})",
            "leaderElection.leaseDuration: counts as 10s and must be greater than renewDeadline"},
        Row{R"("leaderElection":{"leaseDuration":"-15s"})",
            "leaderElection.leaseDuration: must be greater than 0"},
        Row{R"("leaderElection":{"leaseDuration":"900ms","renewDeadline":"100ms",
            "retryPeriod":"10ms"})",
            "leaderElection.leaseDuration: counts as 0s and must be at least 1s"},
        Row{R"("leaderElection":{"leaseDuration":"700000h","renewDeadline":"1h"})",
            "leaderElection.leaseDuration: must be at most 2147483647s"},
        Row{R"("leaderElection":{"renewDeadline":"2400ms"})",
            "leaderElection.renewDeadline: must be greater than 1.2 times retryPeriod"},
        Row{R"("leaderElection":{"renewDeadline":"-1s"})",
            "leaderElection.renewDeadline: must be greater than 0"},
        Row{R"("leaderElection":{"retryPeriod":"-1s"})",
            "leaderElection.retryPeriod: must be greater than 0"},
        Row{R"("leaderElection":{"retryPeriod":"1ns"})",
            "leaderElection.retryPeriod: must be at least 10ms"},
        Row{R"("leaderElection":{"leaseDuration":"590000h","renewDeadline":"580000h",
            "retryPeriod":"570000h"})",
            "leaderElection.renewDeadline: must be greater than 1.2 times retryPeriod"},
        Row{R"("leaderElection":{"resourceLock":"configmaps"})",
            "leaderElection.resourceLock: \"configmaps\" is not one of leases"}
    );
    CAPTURE(row.members);
    const auto found = violations(row.members);
    CAPTURE(found);
    CHECK(std::ranges::any_of(found, [&](const auto& violation) {
        return violation.find(row.expected) != std::string::npos;
    }));
}

TEST_CASE("each rule on servers and resources finds its violation", "[config][validation]") {
    struct Row {
        const char* members;
        const char* expected;
    };
    const auto row = GENERATE(
        Row{R"("internalCertManagement":{"webhookServiceName":"0"})",
            "webhookServiceName: \"0\" is not a DNS-1035 label"},
        Row{R"("internalCertManagement":{"webhookSecretName":"A"})",
            "webhookSecretName: \"A\" is not a DNS-1123 subdomain"},
        Row{R"("tls":{"minVersion":"VersionTLS11"})", "tls.minVersion: \"VersionTLS11\""},
        Row{R"("tls":{"minVersion":"VersionTLS13","cipherSuites":["s"]})",
            "tls.cipherSuites: may not be specified"},
        Row{R"("visibilityServer":{"bindAddress":"localhost"})", "visibilityServer.bindAddress: "},
        Row{R"("visibilityServer":{"bindPort":0})", "visibilityServer.bindPort: 0 is not a port"},
        Row{R"("webhook":{"port":70000})", "webhook.port: 70000 is not a port"},
        Row{R"("objectRetentionPolicies":{"workloads":{"afterFinished":"-1s"}})",
            "objectRetentionPolicies.workloads.afterFinished: "},
        Row{R"("objectRetentionPolicies":{"workloads":{"afterDeactivatedByKueue":"-1s"}})",
            "objectRetentionPolicies.workloads.afterDeactivatedByKueue: "},
        Row{R"("resources":{"transformations":[{"input":"a","strategy":"Drop"}]})",
            "transformations[0].strategy: \"Drop\" is not one of Retain, Replace"},
        Row{R"("resources":{"transformations":[{"input":"a"},{"input":"a"}]})",
            "transformations[1].input: \"a\" is there twice"},
        Row{R"("resources":{"quotaCheckStrategy":"Other"})", "quotaCheckStrategy: \"Other\""},
        Row{R"("resources":{"quotaCheckStrategy":"IgnoreUndeclared",
            "excludeResourcePrefixes":["x"]})",
            "quotaCheckStrategy: excludeResourcePrefixes is not allowed"},
        Row{R"("managedJobsNamespaceSelector":{})", "should not match the \"kube-system\""},
        Row{R"("managedJobsNamespaceSelector":{"matchExpressions":[{"operator":"NotIn",
            "key":"kubernetes.io/metadata.name","values":["kube-system"]}]})",
            "should not match the \"sluice-system\""},
        Row{R"("managedJobsNamespaceSelector":{"matchExpressions":[{"operator":"Is","key":"a"}]})",
            "managedJobsNamespaceSelector: matchExpressions[0].operator: "},
        Row{R"("managedJobsNamespaceSelector":{"matchExpressions":[{"operator":"In","key":"a"}]})",
            "managedJobsNamespaceSelector: matchExpressions[0].values: "},
        Row{R"("managedJobsNamespaceSelector":{"matchLabels":{"a b":"c"}})",
            "managedJobsNamespaceSelector: matchLabels"}
    );
    CAPTURE(row.members);
    const auto found = violations(row.members);
    CAPTURE(found);
    CHECK(std::ranges::any_of(found, [&](const auto& violation) {
        return violation.find(row.expected) != std::string::npos;
    }));
}

TEST_CASE("a selector that keeps both namespaces out is valid", "[config][validation]") {
    const auto* members = GENERATE(
        R"("managedJobsNamespaceSelector":{"matchLabels":{"team":"a"}})",
        R"("managedJobsNamespaceSelector":{"matchExpressions":[{"operator":"In",
            "key":"kubernetes.io/metadata.name","values":["team-a"]}]})",
        R"("managedJobsNamespaceSelector":{"matchExpressions":[{"operator":"Exists","key":"x"}]})"
    );
    CHECK(violations(members).empty());
}

TEST_CASE("custom labels keep their limits", "[config][validation]") {
    struct Row {
        std::string labels;
        const char* expected;
    };
    const auto row = GENERATE(
        Row{R"({"name":"1a"})", "customLabels[0].name: must match"},
        Row{R"({"name":"_a"})", "customLabels[0].name: must match"},
        Row{R"({"name":"a"},{"name":"a"})", "customLabels[1].name: \"a\" is there twice"},
        Row{R"({"name":"a","sourceLabelKey":"k","sourceAnnotationKey":"k"})", "mutually exclusive"},
        Row{R"({"name":"a","sourceLabelKey":"k k"})",
            "sourceLabelKey: \"k k\" is not a valid label key"},
        Row{R"({"name":"a","sourceKind":"Pod"})", "sourceKind: \"Pod\" is not one of"},
        Row{R"({"name":"a","sourceKind":"Workload"})", "trackedValues: must not be empty"},
        Row{R"({"name":"a","trackedValues":["x","x"]})", "must not contain duplicates"},
        Row{R"({"name":"a","trackedValues":[)" + repeat(R"("v#")", 17) + "]}",
            "has 17 values, at most 16"},
        Row{R"({"name":"a","sourceKind":"Workload","trackedValues":[)" + repeat(R"("v#")", 13) +
                "]}",
            "has 13 values, at most 12"},
        Row{repeat(R"({"name":"a#"})", 7), "has 7 labels of ClusterQueue, at most 6"},
        Row{repeat(R"({"name":"a#","sourceKind":"Workload","trackedValues":["x"]})", 3),
            "has 3 labels of Workload, at most 2"},
        Row{repeat(R"({"name":"a#"})", 21), "has 21 labels, at most 20"}
    );
    CAPTURE(row.labels);
    const auto found = violations(R"("metrics":{"customLabels":[)" + row.labels + "]}");
    CAPTURE(found);
    CHECK(std::ranges::any_of(found, [&](const auto& violation) {
        return violation.find(row.expected) != std::string::npos;
    }));
    CHECK(violations(R"("metrics":{"customLabels":[{"name":"a","sourceKind":"Cohort"}]})").empty());
}

TEST_CASE("device class mappings keep their rules", "[config][validation]") {
    const std::string counter =
        R"("sources":[{"counter":{"name":"#","driver":"x.io","deviceSelector":{"cel":{)"
        R"("expression":"true"}}}}])";
    const auto mapping =
        [](const std::string& name, const std::string& classes, const std::string& more) {
            return R"({"name":")" + name + R"(","deviceClassNames":[)" + classes + "]" +
                   (more.empty() ? "" : ",") + more + "}";
        };
    const auto found_in = [](const std::string& mappings, std::string_view gates = "") {
        return violations(R"("resources":{"deviceClassMappings":[)" + mappings + "]}", gates);
    };
    const auto has = [](const std::vector<std::string>& found, std::string_view expected) {
        CAPTURE(found, expected);
        return std::ranges::any_of(found, [&](const auto& violation) {
            return violation.find(expected) != std::string::npos;
        });
    };
    auto counter_a = counter;
    counter_a.replace(counter_a.find('#'), 1, "a");
    auto counter_b = counter;
    counter_b.replace(counter_b.find('#'), 1, "b");
    const auto two = [&](const std::string& first, const std::string& second) {
        return mapping("x", R"("c")", first) + "," + mapping("y", R"("c")", second);
    };
    CHECK(found_in(mapping("x", R"("c","d")", counter_a)).empty());
    CHECK(found_in(two(counter_a, counter_b)).empty());
    CHECK(has(found_in(two("", "")), "[1].deviceClassNames[0]: device class already mapped"));
    CHECK(has(found_in(two(counter_a, counter_a)), "already has a source for \"a\""));
    CHECK(has(found_in(mapping("x", "", "")), "deviceClassNames: must name 1 to 8"));
    CHECK(has(found_in(mapping("x", R"("c","c")", "")), "\"c\" is there twice"));
    CHECK(has(found_in(mapping("x x", R"("c")", "")), "\"x x\" is not a valid label key"));
    CHECK(has(found_in(repeat(R"({"name":"n#","deviceClassNames":["c"]})", 17)), "at most 16"));
    CHECK(has(found_in(mapping("x", R"("c")", R"("sources":[{}])")), "exactly one of counter"));
    CHECK(
        has(found_in(
                mapping("x", R"("c")", counter_a), "KueueDRAIntegrationPartitionableDevices=false"
            ),
            "sources[0].counter: requires gate")
    );
    const auto* capacity = R"("sources":[{"capacity":{"name":"x.io/a","driver":""}}])";
    CHECK(has(found_in(mapping("x", R"("c")", capacity)), "capacity: requires gate"));
    const auto on = "KueueDRAIntegrationConsumableCapacity=true";
    CHECK(has(found_in(mapping("x", R"("c")", capacity), on), "driver: must be specified"));
    CHECK(has(found_in(mapping("x", R"("c")", capacity), on), "expression: must be specified"));
}

TEST_CASE("an explicit timeout of zero is an error in v1beta1 only", "[config][validation]") {
    const auto found =
        violations(R"("waitForPodsReady":{"enable":true,"timeout":"0s"})", "", "v1beta1");
    REQUIRE(found.size() == 1);
    CHECK(found[0] == "waitForPodsReady.timeout: must be specified");
    CHECK(violations(R"("waitForPodsReady":{"timeout":"0s"})").empty());
}

TEST_CASE("violations are told in an order that the table of keys does not change", "[config]") {
    const auto found = violations(R"(
        "leaderElection":{"resourceLock":"x"},
        "managedJobsNamespaceSelector":{},
        "objectRetentionPolicies":{"workloads":{"afterFinished":"-1s"}},
        "webhook":{"port":-1},
        "visibilityServer":{"bindPort":0},
        "tls":{"minVersion":"x"},
        "metrics":{"customLabels":[{"name":"_"}]},
        "resources":{"quotaCheckStrategy":"x"},
        "internalCertManagement":{"webhookSecretName":"_"},
        "admissionFairSharing":{"usageHalfLifeTime":"-1s"},
        "fairSharing":{},
        "multiKueue":{"gcInterval":"-1s"},
        "integrations":{"frameworks":["x"]},
        "waitForPodsReady":{"timeout":"-1s"})");
    std::vector<std::string> keys;
    for (const std::string& violation : found) {
        const auto key = violation.substr(0, violation.find_first_of(".:"));
        if (keys.empty() || keys.back() != key) {
            keys.push_back(key);
        }
    }
    CHECK(
        keys ==
        std::vector<std::string>{
            "waitForPodsReady",
            "integrations",
            "multiKueue",
            "fairSharing",
            "admissionFairSharing",
            "internalCertManagement",
            "resources",
            "metrics",
            "tls",
            "visibilityServer",
            "webhook",
            "objectRetentionPolicies",
            "managedJobsNamespaceSelector",
            "leaderElection",
        }
    );
}

TEST_CASE("gates switch checks off", "[config][validation]") {
    CHECK(violations(R"("waitForPodsReady":{"timeout":"-1s"})", "DisableWaitForPodsReady=true")
              .empty());
    CHECK(
        violations(R"("resources":{"quotaCheckStrategy":"x"})", "QuotaCheckStrategy=false").empty()
    );
    const auto read = test::parse_members("v1beta2", "");
    REQUIRE(read);
    CHECK(effective_wait_for_pods_ready(*read, FeatureGates()));
    CHECK_FALSE(
        effective_wait_for_pods_ready(*read, *FeatureGates::parse("DisableWaitForPodsReady=true"))
    );
}

}  // namespace sluice::config
