#include "controller/process/settings.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

TEST_CASE("the controller's engine decides by the gates, as offline", "[controller][settings]") {
    const config::Configuration configuration;
    const auto gates =
        config::FeatureGates::parse("PartialAdmission=false,PrioritizePreemptorWorkloads=true");
    REQUIRE(gates);
    const auto options = make_engine_options(configuration, *gates, 7);
    CHECK(!options.gates.partial_admission);
    CHECK(options.gates.prioritize_preemptor_workloads);
    CHECK(options.gates.flavor_fungibility);
    CHECK(options.wake_batch == std::chrono::milliseconds(100));
    CHECK(options.hash_seed == 7);
}

TEST_CASE("each feature that knows preemption gates opens them", "[controller][settings]") {
    const auto are_known = [](const char* gates) {
        const auto parsed = config::FeatureGates::parse(gates);
        REQUIRE(parsed);
        return make_engine_options({}, *parsed, 7).gates.preemption_gates;
    };
    CHECK_FALSE(are_known(""));
    CHECK(are_known("ConcurrentAdmission=true"));
    CHECK(are_known("MultiKueueOrchestratedPreemption=true"));
}

TEST_CASE("without waiting for pods no admission is blocked", "[controller][settings]") {
    config::Configuration configuration;
    configuration.wait_for_pods_ready.emplace();
    configuration.wait_for_pods_ready->block_admission = true;
    const auto blocks = [&](const char* gates) {
        const auto parsed = config::FeatureGates::parse(gates);
        REQUIRE(parsed);
        return make_engine_options(configuration, *parsed, 7).block_admission_until_pods_ready;
    };
    CHECK(blocks(""));
    CHECK_FALSE(blocks("DisableWaitForPodsReady=true"));
}

TEST_CASE("the controller's reconcilers follow the gates", "[controller][settings]") {
    const config::Configuration configuration;
    const auto by_default = make_settings(configuration, *config::FeatureGates::parse(""));
    REQUIRE(by_default);
    CHECK(by_default->gates.admission_gated_by);
    CHECK(by_default->elastic_jobs);
    CHECK(by_default->assign_queue_labels_for_pods);
    CHECK(by_default->workload_priority_class_defaulting);
    CHECK(by_default->finish_orphaned_workloads);
    CHECK_FALSE(by_default->short_workload_names);
    const auto gates = config::FeatureGates::parse(
        "AdmissionGatedBy=false,AssignQueueLabelsForPods=false,FinishOrphanedWorkloads=false,"
        "ElasticJobsViaWorkloadSlices=false,WorkloadPriorityClassDefaulting=false,"
        "ShortWorkloadNames=true"
    );
    REQUIRE(gates);
    const auto otherwise = make_settings(configuration, *gates);
    REQUIRE(otherwise);
    CHECK_FALSE(otherwise->gates.admission_gated_by);
    CHECK_FALSE(otherwise->elastic_jobs);
    CHECK_FALSE(otherwise->assign_queue_labels_for_pods);
    CHECK_FALSE(otherwise->workload_priority_class_defaulting);
    CHECK_FALSE(otherwise->finish_orphaned_workloads);
    CHECK(otherwise->short_workload_names);
}

TEST_CASE("Workloads get what their metrics are labelled with", "[controller][settings]") {
    config::Configuration configuration;
    configuration.integrations.label_keys_to_copy = {"team"};
    configuration.metrics.custom_labels = {
        {.name = "kind", .source_kind = "Workload"},
        {.name = "size", .source_label_key = "example.com/size", .source_kind = "Workload"},
        {.name = "cost", .source_annotation_key = "billing/cost", .source_kind = "Workload"},
        {.name = "queue", .source_kind = "LocalQueue"},
    };
    const auto keys = [&](const char* text) {
        const auto gates = config::FeatureGates::parse(text);
        REQUIRE(gates);
        auto settings = make_settings(configuration, *gates);
        REQUIRE(settings);
        return std::pair(settings->label_keys_to_copy, settings->annotation_keys_to_copy);
    };
    using Keys = std::vector<std::string>;
    CHECK(keys("CustomMetricLabels=false") == std::pair(Keys{"team"}, Keys{}));
    CHECK(
        keys("CustomMetricLabels=true") ==
        std::pair(Keys{"team", "kind", "example.com/size"}, Keys{"billing/cost"})
    );
}

}  // namespace sluice::controller
