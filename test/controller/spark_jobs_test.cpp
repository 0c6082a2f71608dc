#include "controller/described_story.hpp"
#include "job_kinds/derived/spark_pod.hpp"
#include "json/patch.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

// SparkApplications where they are odd, beside their contract.
namespace sluice::controller {
namespace {

constexpr const char* kWholeSelector =
    "{spec: {nodeSelector: {disk: slow}, driver: {nodeSelector: null}}}";

std::string text_at(const json::Value& value, std::string_view path) {
    const auto compiled = job_kinds::Path::compile(path);
    const json::Value* found = compiled->find(value);
    return found == nullptr ? "" : json::print(*found);
}

/// What the first container of a driver with these fields asks for, or what is wrong with them.
std::string resources(std::string_view driver) {
    json::Value application = json::Object{{"spec", json::Object{}}};
    application.find("spec")->set("driver", *yaml::parse_document(driver));
    const auto pod = job_kinds::make_spark_pod(application, job_kinds::SparkRole::Driver);
    return pod ? text_at(*pod, "spec.containers[0].resources") : pod.error().detail;
}

}  // namespace

TEST_CASE("roles of a SparkApplication ask for what their fields say", "[job-kinds][spark]") {
    CHECK(resources("{}").empty());
    CHECK(resources("{coreRequest: 500m}") == R"({"requests":{"cpu":"500m"}})");
    CHECK(resources("{cores: 2}").empty());
    CHECK(
        resources("{coreLimit: '2', memory: 512m, memoryLimit: 1Gi}") ==
        R"({"limits":{"cpu":"2","memory":"1Gi"},"requests":{"memory":"512Mi"}})"
    );
    CHECK(resources("{memory: 4G}") == R"({"requests":{"memory":"4Gi"}})");
    CHECK(resources("{memory: 2tb}") == R"({"requests":{"memory":"2Ti"}})");
    CHECK(resources("{memory: 1k}") == R"({"requests":{"memory":"1Ki"}})");
    CHECK(
        resources("{gpu: {name: nvidia.com/gpu, quantity: 2}}") ==
        R"({"limits":{"nvidia.com/gpu":"2"}})"
    );
    CHECK(resources("{gpu: {name: nvidia.com/gpu, quantity: 0}}").empty());
    CHECK(resources("{coreRequest: many}").starts_with("failed to parse CPU requests many: "));
    CHECK(resources("{memoryLimit: many}").starts_with("failed to parse memory limit many: "));
}

TEST_CASE("the pod of a role has its volumes and containers", "[job-kinds][spark]") {
    json::Value application = *yaml::parse_document(
        "{spec: {volumes: [{name: a}, {name: spark-local-dir-1}, {name: unused}], executor: "
        "{volumeMounts: [{name: a, mountPath: /a}, {name: spark-local-dir-1, mountPath: /b}, "
        "{name: none, mountPath: /c}], sidecars: [{name: s}, {name: s}], initContainers: [{name: "
        "i}], priorityClassName: high, labels: {a: mine}, template: {metadata: {labels: {a: base, "
        "b: base}}}}}}"
    );
    const auto pod = job_kinds::make_spark_pod(application, job_kinds::SparkRole::Executor);
    REQUIRE(pod);
    CHECK(
        json::print(*pod) ==
        R"({"metadata":{"labels":{"a":"mine","b":"base"}},"spec":{"volumes":[{"name":"a"}],)"
        R"("containers":[{"name":"spark-kubernetes-executor","volumeMounts":[{"name":"a",)"
        R"("mountPath":"/a"}]},{"name":"s"}],"initContainers":[{"name":"i"}],)"
        R"("priorityClassName":"high"}})"
    );
}

TEST_CASE("node labels of a whole SparkApplication move to its roles", "[job-kinds][spark]") {
    DescribedStory story("sparkapplication");
    REQUIRE(story.change(kWholeSelector).create() == "");
    CHECK(text_at(story.stored(), "spec.nodeSelector").empty());
    CHECK(
        text_at(story.stored(), "spec.driver.nodeSelector") == R"({"disk":"slow","tier":"spot"})"
    );
    CHECK(
        text_at(story.stored(), "spec.executor.nodeSelector") == R"({"disk":"slow","tier":"spot"})"
    );
    story.evict();
    CHECK(text_at(story.stored(), "spec.suspend") == "true");
    CHECK(text_at(story.stored(), "spec.driver.nodeSelector") == R"({"disk":"slow"})");
    CHECK(text_at(story.stored(), "spec.executor.nodeSelector") == R"({"disk":"slow"})");
    story.merge("{status: {applicationState: {state: SUSPENDED}}}");
    story.merge(story.workload(), "{spec: {active: true}}");
    CHECK(
        text_at(story.stored(), "spec.driver.nodeSelector") == R"({"disk":"slow","tier":"spot"})"
    );
}

TEST_CASE("a start leaves templates and instances of a SparkApplication", "[job-kinds][spark]") {
    DescribedStory story("sparkapplication");
    REQUIRE(story.create() == "");
    REQUIRE(text_at(story.stored(), "spec.suspend") == "false");
    CHECK(text_at(story.stored(), "spec.driver.template").empty());
    const json::Value& made = job_sample("sparkapplication").object;
    for (const char* field : {"spec.executor.template", "spec.executor.instances"}) {
        CAPTURE(field);
        CHECK_FALSE(text_at(made, field).empty());
        CHECK(text_at(story.stored(), field) == text_at(made, field));
    }
}

TEST_CASE("a role of a SparkApplication without labels has none again", "[job-kinds][spark]") {
    DescribedStory story("sparkapplication");
    REQUIRE(story.create() == "");
    CHECK_FALSE(text_at(story.stored(), "spec.executor.labels").empty());
    story.evict();
    for (const char* field : {"labels", "annotations", "nodeSelector", "tolerations"}) {
        CHECK(text_at(story.stored(), fmt::format("spec.executor.{}", field)).empty());
    }
}

TEST_CASE("a SparkApplication that Kueue cannot manage is refused", "[job-kinds][spark]") {
    DescribedStory story("sparkapplication");
    story.change("{spec: {mode: client, dynamicAllocation: {enabled: true}}}");
    const std::string both =
        "[spec.mode: Invalid value: \"client\": only Cluster mode is supported for a kueue managed "
        "job, spec.dynamicAllocation.enabled: Invalid value: true: a kueue managed job can use "
        "dynamicAllocation only when the ElasticJobsViaWorkloadSlices feature gate is on and the "
        "job is an elastic job]";
    CHECK(story.create() == both);
    story.change("{spec: {mode: null, dynamicAllocation: {enabled: false}}}");
    CHECK(
        story.create() ==
        "spec.mode: Invalid value: \"\": only Cluster mode is supported for a kueue managed job"
    );
    CHECK(story.change("{spec: {mode: cluster}}").create() == "");
}

TEST_CASE("a SparkApplication without a queue may be as it is", "[job-kinds][spark]") {
    DescribedStory story("sparkapplication");
    story.change("{metadata: {labels: null}, spec: {mode: client}}");
    CHECK(story.create() == "");
    CHECK(story.cluster.edit(story.job, "{'spec':{'mode':'in-cluster-client'}}") == "");
    CHECK_FALSE(story.cluster
                    .edit(story.job, "{'metadata':{'labels':{'kueue.x-k8s.io/queue-name':'main'}}}")
                    .empty());
}

TEST_CASE("an elastic SparkApplication is refused", "[job-kinds][spark]") {
    Settings settings;
    settings.elastic_jobs = true;
    DescribedStory story("sparkapplication", settings);
    story.change("{metadata: {annotations: {kueue.x-k8s.io/elastic-job: 'true'}}}");
    CHECK(
        story.create() ==
        "metadata.annotations[kueue.x-k8s.io/elastic-job]: Forbidden: elastic job is not supported "
        "for \"sparkoperator.k8s.io/v1beta2, Kind=SparkApplication\""
    );
}

TEST_CASE("an amount that cannot be read refuses a SparkApplication", "[job-kinds][spark]") {
    DescribedStory story("sparkapplication");
    story.change("{spec: {executor: {coreRequest: many}}}");
    CHECK(story.create().starts_with("failed to parse CPU requests many: "));
    story.put();
    CHECK(story.is_reported("InvalidSpec", "failed to parse CPU requests many: "));
    CHECK(story.workload().name.empty());
}

TEST_CASE("topologies of a SparkApplication are judged by role", "[job-kinds][spark]") {
    DescribedStory story("sparkapplication");
    story.change("{spec: {driver: {annotations: {kueue.x-k8s.io/podset-required-topology: 'r k'}}}}"
    );
    const std::string refusal = story.create();
    INFO(refusal);
    CHECK(refusal.starts_with(
        "spec.driver.annotations[kueue.x-k8s.io/podset-required-topology]: Invalid value: \"r k\""
    ));
    CHECK(
        story
            .change(
                "{spec: {driver: {annotations: {kueue.x-k8s.io/podset-required-topology: rack}}}}"
            )
            .create() == ""
    );
}

}  // namespace sluice::controller
