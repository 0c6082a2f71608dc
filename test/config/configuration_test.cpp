#include "config/configuration.hpp"

#include "config/default_document.hpp"
#include "config/parse_text.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>
#include <limits>
#include <string>

namespace sluice::config {

using namespace std::chrono_literals;
using test::parse_members;

TEST_CASE("a v1beta2 file that says nothing has the defaults", "[config]") {
    const auto read = parse_members("v1beta2", "");
    REQUIRE(read);
    CHECK((*read == default_configuration("sluice-system")));
    CHECK(read->namespace_ == "sluice-system");
    CHECK(read->webhook.port == 9443);
    CHECK(read->leader_election.resource_name == "c1f6bfd2.kueue.x-k8s.io");
    CHECK(read->leader_election.lease_duration == 15s);
    CHECK(read->metrics.local_queue_metrics.enable);
    CHECK(read->client_connection.qps == 300);
    CHECK(read->client_connection.burst == 500);
    CHECK(read->integrations.frameworks == std::vector<std::string>{"batch/job"});
    REQUIRE(read->wait_for_pods_ready);
    CHECK(read->wait_for_pods_ready->timeout == 30min);
    CHECK_FALSE(read->fair_sharing);
    CHECK_FALSE(read->feature_gates);
    const auto& selector = read->managed_jobs_namespace_selector.match_expressions;
    REQUIRE(selector.size() == 1);
    CHECK(selector[0].values == std::vector<std::string>{"kube-system", "sluice-system"});
}

TEST_CASE("outside a cluster the namespace is kueue-system", "[config]") {
    CHECK(default_configuration("").namespace_ == "kueue-system");
    const auto read = parse_members("v1beta2", R"("namespace":"elsewhere")");
    REQUIRE(read);
    CHECK(read->namespace_ == "elsewhere");
    CHECK(read->managed_jobs_namespace_selector.match_expressions[0].values[1] == "elsewhere");
}

TEST_CASE("every setting of the process is read", "[config]") {
    const auto read = parse_members("v1beta2", R"(
        "manageJobsWithoutQueueName":true,
        "managedJobsNamespaceSelector":{"matchLabels":{"a":"b"}},
        "webhook":{"port":1,"host":"h","certDir":"/c"},
        "leaderElection":{"leaderElect":false,"leaseDuration":"1m","renewDeadline":"40s",
            "retryPeriod":"0s","resourceLock":"leases","resourceName":"n","resourceNamespace":"ns"},
        "metrics":{"bindAddress":"0","enableClusterQueueResources":true,
            "customLabels":[{"name":"team","sourceLabelKey":"k","sourceKind":"Workload",
                "trackedValues":["x"]}],"localQueueMetrics":{}},
        "health":{"healthProbeBindAddress":":1","readinessEndpointName":"r",
            "livenessEndpointName":"l"},
        "pprofBindAddress":":2",
        "controller":{"groupKindConcurrency":{"Job.batch":5},"cacheSyncTimeout":120000000000},
        "tls":{"minVersion":"VersionTLS13","cipherSuites":["s"],"curvePreferences":[29]},
        "internalCertManagement":{"enable":false,"webhookServiceName":"s","webhookSecretName":"t"},
        "clientConnection":{"qps":-1,"burst":7},
        "visibilityServer":{"bindAddress":"::1","bindPort":9},
        "featureGates":{})");
    REQUIRE(read);
    CHECK(read->manage_jobs_without_queue_name);
    CHECK(read->managed_jobs_namespace_selector.match_labels.at("a") == "b");
    CHECK(read->managed_jobs_namespace_selector.match_expressions.empty());
    CHECK((read->webhook == Webhook{.port = 1, .host = "h", .cert_dir = "/c"}));
    CHECK_FALSE(read->leader_election.leader_elect);
    CHECK(read->leader_election.renew_deadline == 40s);
    CHECK(read->leader_election.retry_period == 2s);
    CHECK(read->metrics.bind_address == "0");
    CHECK(read->metrics.custom_labels.at(0).source_kind == "Workload");
    CHECK_FALSE(read->metrics.local_queue_metrics.enable);
    CHECK(read->health.readiness_endpoint_name == "r");
    CHECK(read->controller.group_kind_concurrency.at("Job.batch") == 5);
    CHECK(read->controller.cache_sync_timeout == 2min);
    CHECK(read->tls->curve_preferences == std::vector<std::int32_t>{29});
    CHECK_FALSE(read->internal_cert_management.enable);
    CHECK(read->client_connection.qps == -1);
    CHECK(read->visibility_server.bind_port == 9);
    REQUIRE(read->feature_gates);
    CHECK(read->feature_gates->empty());
}

TEST_CASE("every setting of the policies is read", "[config]") {
    const auto read = parse_members("v1beta2", R"(
        "waitForPodsReady":{"timeout":"0s","blockAdmission":true,"requeuingStrategy":{
            "timestamp":"Creation","backoffLimitCount":3,"backoffBaseSeconds":1,
            "backoffMaxSeconds":2}},
        "integrations":{"frameworks":["pod"],"externalFrameworks":["A.v1.b.c"],
            "labelKeysToCopy":["k"]},
        "multiKueue":{"gcInterval":"0s","origin":"","workerLostTimeout":"1m",
            "dispatcherName":"kueue.x-k8s.io/multikueue-dispatcher-incremental",
            "externalFrameworks":[{"name":"A.v1.b"}],"incrementalDispatcherConfig":{"stepSize":5},
            "clusterProfile":{"accessProviders":[{"name":"p","execConfig":{"command":"c",
                "args":["a"],"env":[{"name":"E","value":"v"}],"apiVersion":"v",
                "provideClusterInfo":true,"interactiveMode":"Never"}}]}},
        "fairSharing":{"preemptionStrategies":["LessThanInitialShare"]},
        "admissionFairSharing":{"usageHalfLifeTime":"168h","usageSamplingInterval":"0s",
            "resourceWeights":{"cpu":2,"memory":0.5}},
        "resources":{"quotaCheckStrategy":"IgnoreUndeclared","excludeResourcePrefixes":["x"],
            "transformations":[{"input":"a","multiplyBy":"b","outputs":{"c":"2","d":3}}],
            "deviceClassMappings":[{"name":"n","deviceClassNames":["d"],"sources":[
                {"counter":{"name":"c","driver":"x.io","deviceSelector":{"cel":{
                    "expression":"true"}}}}]}]},
        "objectRetentionPolicies":{"workloads":{"afterFinished":"1h"}})");
    REQUIRE(read);
    REQUIRE(read->wait_for_pods_ready);
    CHECK(read->wait_for_pods_ready->timeout == 30min);
    CHECK(read->wait_for_pods_ready->recovery_timeout == 30min);
    CHECK(read->wait_for_pods_ready->requeuing_strategy.backoff_limit_count == 3);
    CHECK(read->multi_kueue.gc_interval == 0s);
    CHECK(read->multi_kueue.origin == "multikueue");
    CHECK(read->multi_kueue.incremental_dispatcher.value().step_size == 5);
    CHECK(read->multi_kueue.external_frameworks.at(0).name == "A.v1.b");
    CHECK(read->multi_kueue.access_providers.at(0).env.at(0).second == "v");
    CHECK(read->fair_sharing->preemption_strategies.size() == 1);
    CHECK(read->admission_fair_sharing->usage_half_life_time == 168h);
    CHECK(read->admission_fair_sharing->usage_sampling_interval == 5min);
    CHECK(read->admission_fair_sharing->resource_weights.at("memory") == 0.5);
    const auto& transformation = read->resources.transformations.at(0);
    CHECK(transformation.strategy == "Retain");
    CHECK(transformation.outputs.at("d").value() == 3);
    const auto& counter = read->resources.device_class_mappings.at(0).sources.at(0).counter;
    CHECK(counter.value().expression == "true");
    CHECK(read->workload_retention.after_finished == 1h);
    CHECK_FALSE(read->workload_retention.after_deactivated_by_kueue);
}

TEST_CASE("a recovery timeout defaults to the timeout", "[config]") {
    const auto read = parse_members("v1beta2", R"("waitForPodsReady":{"timeout":"7m"})");
    REQUIRE(read);
    CHECK(read->wait_for_pods_ready->recovery_timeout == 7min);
}

TEST_CASE("a v1beta1 file waits for pods only when it says so", "[config][v1beta1]") {
    CHECK_FALSE(parse_members("v1beta1", "")->wait_for_pods_ready);
    const auto* off = R"("waitForPodsReady":{"timeout":"1m"})";
    CHECK_FALSE(parse_members("v1beta1", off)->wait_for_pods_ready);
    const auto on = parse_members("v1beta1", R"("waitForPodsReady":{"enable":true})");
    REQUIRE(on);
    REQUIRE(on->wait_for_pods_ready);
    CHECK(on->wait_for_pods_ready->timeout == 5min);
    CHECK(on->wait_for_pods_ready->recovery_timeout == 5min);
    CHECK(on->wait_for_pods_ready->block_admission);
    const auto both = parse_members(
        "v1beta1", R"("waitForPodsReady":{"enable":true,"blockAdmission":false,"timeout":"0s"})"
    );
    REQUIRE(both);
    CHECK_FALSE(both->wait_for_pods_ready->block_admission);
    CHECK(both->wait_for_pods_ready->timeout == 0s);
}

TEST_CASE("a v1beta1 file shares fairly only when it says so", "[config][v1beta1]") {
    CHECK_FALSE(parse_members(
                    "v1beta1", R"("fairSharing":{"preemptionStrategies":["LessThanInitialShare"]})"
    )
                    ->fair_sharing);
    const auto on = parse_members("v1beta1", R"("fairSharing":{"enable":true})");
    REQUIRE(on);
    REQUIRE(on->fair_sharing);
    CHECK(
        on->fair_sharing->preemption_strategies ==
        std::vector<std::string>{"LessThanOrEqualToFinalShare", "LessThanInitialShare"}
    );
}

TEST_CASE("what v1beta1 had and nothing needs is dropped", "[config][v1beta1]") {
    const auto read = parse_members("v1beta1", R"(
        "queueVisibility":{"updateIntervalSeconds":5,"clusterQueues":{"maxCount":10}},
        "integrations":{"podOptions":{"namespaceSelector":{"matchLabels":{"a":"b"}},
            "podSelector":{"matchExpressions":[{"key":"k","operator":"Exists"}]}}})");
    REQUIRE(read);
    auto expected = default_configuration("sluice-system");
    expected.wait_for_pods_ready.reset();
    CHECK((*read == expected));
}

TEST_CASE("fields of v1beta2 are unknown in v1beta1 and the other way round", "[config]") {
    struct Row {
        const char* version;
        const char* members;
        const char* path;
    };
    const auto row = GENERATE(
        Row{"v1beta1", R"("visibilityServer":{})", "visibilityServer"},
        Row{"v1beta1",
            R"("resources":{"quotaCheckStrategy":"BlockUndeclared"})",
            "resources.quotaCheckStrategy"},
        Row{"v1beta1",
            R"("resources":{"deviceClassMappings":[{"name":"n","sources":[]}]})",
            "resources.deviceClassMappings[0].sources"},
        Row{"v1beta1", R"("multiKueue":{"clusterProfile":{}})", "multiKueue.clusterProfile"},
        Row{"v1beta1",
            R"("multiKueue":{"incrementalDispatcherConfig":{}})",
            "multiKueue.incrementalDispatcherConfig"},
        Row{"v1beta1",
            R"("metrics":{"customLabels":[{"name":"n","sourceKind":"Cohort"}]})",
            "metrics.customLabels[0].sourceKind"},
        Row{"v1beta2", R"("waitForPodsReady":{"enable":true})", "waitForPodsReady.enable"},
        Row{"v1beta2", R"("fairSharing":{"enable":true})", "fairSharing.enable"},
        Row{"v1beta2", R"("queueVisibility":{})", "queueVisibility"},
        Row{"v1beta2", R"("integrations":{"podOptions":{}})", "integrations.podOptions"},
        Row{"v1beta2", R"("webhok":{})", "webhok"},
        Row{"v1beta2", R"("webhook":{"Port":1})", "webhook.Port"},
        Row{"v1beta2",
            R"("managedJobsNamespaceSelector":{"matchExpressions":[{"kee":"x"}]})",
            "managedJobsNamespaceSelector.matchExpressions[0].kee"}
    );
    CAPTURE(row.version, row.members);
    const auto read = parse_members(row.version, row.members);
    REQUIRE_FALSE(read);
    CHECK_THAT(
        read.error().detail, Catch::Matchers::StartsWith(std::string(row.path) + ": unknown field")
    );
}

TEST_CASE("a wrong type or value names its path", "[config]") {
    struct Row {
        const char* members;
        const char* expected;
    };
    const auto row = GENERATE(
        Row{R"("webhook":[])", "webhook: must be an object"},
        Row{R"("webhook":{"port":"9443"})", "webhook.port: must be a whole number"},
        Row{R"("webhook":{"port":4294967296})", "webhook.port: must be a whole number"},
        Row{R"("leaderElection":{"leaderElect":"true"})",
            "leaderElection.leaderElect: must be true or false"},
        Row{R"("leaderElection":{"leaseDuration":15})",
            "leaderElection.leaseDuration: must be a duration"},
        Row{R"("waitForPodsReady":{"timeout":"5 minutes"})",
            "waitForPodsReady.timeout: \"5 minutes\" is not a duration"},
        Row{R"("controller":{"cacheSyncTimeout":"2m"})",
            "controller.cacheSyncTimeout: must be a whole number of nanoseconds"},
        Row{R"("integrations":{"frameworks":"pod"})", "integrations.frameworks: must be a list"},
        Row{R"("integrations":{"frameworks":[1]})", "integrations.frameworks[0]: must be a string"},
        Row{R"("featureGates":{"PartialAdmission":"false"})",
            "featureGates[PartialAdmission]: must be true or false"},
        Row{R"("resources":{"transformations":[{"input":"a","outputs":{"b":"x"}}]})",
            "resources.transformations[0].outputs[b]: "},
        Row{R"("multiKueue":{"externalFrameworks":{}})",
            "multiKueue.externalFrameworks: must be a list"},
        Row{R"("clientConnection":{"qps":"300"})", "clientConnection.qps: must be a number"}
    );
    CAPTURE(row.members);
    const auto read = parse_members("v1beta2", row.members);
    REQUIRE_FALSE(read);
    CAPTURE(read.error().detail);
    CHECK(read.error().detail.find(row.expected) != std::string::npos);
}

TEST_CASE("all problems of a file are told at once", "[config]") {
    const auto read = parse_members("v1beta2", R"("a":1,"webhook":{"port":"x","b":2})");
    REQUIRE_FALSE(read);
    CHECK(
        read.error().detail ==
        "webhook.port: must be a whole number of 32 bits; webhook.b: unknown field; "
        "a: unknown field"
    );
}

TEST_CASE("nulls are as good as absent", "[config]") {
    const auto read = parse_members(
        "v1beta2", R"("webhook":null,"fairSharing":null,"metrics":{"customLabels":null})"
    );
    REQUIRE(read);
    CHECK((*read == default_configuration("sluice-system")));
}

TEST_CASE("another kind or version is refused", "[config]") {
    for (const auto* text :
         {"{}",
          "[]",
          "null",
          R"({"apiVersion":"config.kueue.x-k8s.io/v1","kind":"Configuration"})",
          R"({"apiVersion":"config.kueue.x-k8s.io/v1beta2","kind":"Config"})",
          R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Configuration"})"}) {
        CAPTURE(text);
        const auto read = parse_configuration(*json::parse(text), "");
        REQUIRE_FALSE(read);
        CHECK(read.error().detail.find("expected kind Configuration") != std::string::npos);
    }
}

TEST_CASE("a duration of more than a century is refused with its path", "[config]") {
    const auto* text = GENERATE("876000h1ns", "-876001h", "2500000h");
    const auto read = parse_members(
        "v1beta2",
        R"("admissionFairSharing":{"usageSamplingInterval":")" + std::string(text) + R"("})"
    );
    REQUIRE_FALSE(read);
    CAPTURE(read.error().detail);
    CHECK(
        read.error().detail.find("admissionFairSharing.usageSamplingInterval: ") !=
        std::string::npos
    );
    CHECK(read.error().detail.find("876000h") != std::string::npos);
    CHECK(parse_members("v1beta2", R"("waitForPodsReady":{"timeout":"876000h"})"));
}

TEST_CASE("a number without end is refused with its path", "[config]") {
    const double number = GENERATE(
        std::numeric_limits<double>::quiet_NaN(),
        std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()
    );
    const auto read = parse_configuration(
        json::Object{
            {"apiVersion", "config.kueue.x-k8s.io/v1beta2"},
            {"kind", "Configuration"},
            {"clientConnection", json::Object{{"qps", number}}},
            {"admissionFairSharing",
             json::Object{{"resourceWeights", json::Object{{"cpu", number}}}}},
        },
        ""
    );
    REQUIRE_FALSE(read);
    CAPTURE(read.error().detail);
    CHECK(read.error().detail.find("clientConnection.qps: must be") != std::string::npos);
    CHECK(read.error().detail.find("resourceWeights[cpu]: must be") != std::string::npos);
}

TEST_CASE("the printed defaults are what applies without a file", "[config]") {
    const auto read = parse_configuration(make_default_document(), "");
    REQUIRE(read);
    CHECK(*read == default_configuration(""));
}

}  // namespace sluice::config
