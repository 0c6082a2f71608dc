#include "controller/described_story.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <string>

// PodsReady of jobs whose own order starts their pods one after another (JobSet, TrainJob).
namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

Settings with_pods_ready() {
    Settings settings;
    settings.wait_for_pods_ready.emplace();
    settings.wait_for_pods_ready->timeout = 10min;
    settings.wait_for_pods_ready->recovery_timeout = 10min;
    return settings;
}

struct Counts {
    int ready = 0;
    int succeeded = 0;
    int failed = 0;
};

std::string status_of(std::string_view name, const Counts& counts) {
    return "{name: " + std::string(name) +
           ", active: 0, suspended: 0, ready: " + std::to_string(counts.ready) +
           ", succeeded: " + std::to_string(counts.succeeded) +
           ", failed: " + std::to_string(counts.failed) + "}";
}

struct OrderCase : DescribedStory {
    explicit OrderCase(std::string_view file) : DescribedStory(file, with_pods_ready()) {}
    void pass(Duration time) {
        cluster.clock.advance(time);
        cluster.settle();
    }
    std::string ready() const { return condition("PodsReady"); }
};

/// Three replicated Jobs of two replicas each.
struct JobSetCase : OrderCase {
    JobSetCase(std::string_view second, std::string_view third, std::string_view order = "AnyOrder")
        : OrderCase("jobset") {
        const auto one = [](std::string_view name, std::string_view depends_on) {
            return "{name: " + std::string(name) + ", replicas: 2, dependsOn: [" +
                   std::string(depends_on) +
                   "], template: {spec: {template: {spec: {containers: [{name: c, image: i, "
                   "resources: {requests: {cpu: 100m}}}]}}}}}";
        };
        change(
            "{spec: {startupPolicy: {startupPolicyOrder: " + std::string(order) +
            "}, replicatedJobs: [" + one("first", "") + ", " + one("second", second) + ", " +
            one("third", third) + "]}}"
        );
        REQUIRE(create() == "");
        REQUIRE(condition("Admitted") == "True/Admitted");
    }
    /// Its controller counts its Jobs.
    void count(const Counts& first, const Counts& second = {}, const Counts& third = {}) {
        merge(
            "{status: {replicatedJobsStatus: [" + status_of("first", first) + ", " +
            status_of("second", second) + ", " + status_of("third", third) + "]}}"
        );
    }
};

}  // namespace

TEST_CASE("a JobSet is ready without Jobs that wait for a completion", "[job-kinds][podsready]") {
    JobSetCase set("{name: first, status: Complete}", "{name: second, status: Ready}");
    set.count({.ready = 1});
    CHECK(set.ready() == "False/WaitForStart");
    set.count({.ready = 2});
    CHECK(set.ready() == "True/Started");
    set.pass(1h);
    CHECK(set.condition("Evicted") == "");
    set.count({.ready = 1, .succeeded = 1});
    CHECK(set.ready() == "True/Started");
    set.count({.succeeded = 2});
    CHECK(set.ready() == "False/WaitForRecovery");
    CHECK(set.message("PodsReady").ends_with("the job's own order has started them since"));
    set.count({.succeeded = 2}, {.ready = 2});
    CHECK(set.ready().starts_with("False/"));
    set.count({.succeeded = 2}, {.ready = 1, .failed = 1}, {.ready = 2});
    CHECK(set.ready().starts_with("False/"));
    set.count({.succeeded = 2}, {.ready = 2}, {.ready = 2});
    CHECK(set.ready() == "True/Recovered");
}

TEST_CASE("Jobs that a JobSet has released are waited for", "[job-kinds][podsready]") {
    const bool is_completed = GENERATE(true, false);
    CAPTURE(is_completed);
    JobSetCase set("{name: first, status: Complete}", "{name: first, status: Complete}");
    if (is_completed) {
        set.count({.ready = 2});
        set.pass(1h);
        REQUIRE(set.condition("Evicted") == "");
        set.count({.succeeded = 2}, {.ready = 1});
    } else {
        set.count({.ready = 1});
    }
    set.pass(9min);
    CHECK(set.condition("Evicted") == "");
    set.pass(1min);
    CHECK(set.condition("Evicted") == "True/PodsReadyTimeout");
}

TEST_CASE("a JobSet in order waits for one Job after another", "[job-kinds][podsready]") {
    JobSetCase set("", "", "InOrder");
    set.count({.ready = 1});
    CHECK(set.ready() == "False/WaitForStart");
    // The second has been released: only then is the first counted without it.
    set.count({.ready = 2});
    CHECK(set.ready() == "False/WaitForStart");
    set.count({.ready = 2}, {.ready = 2}, {.ready = 1});
    CHECK(set.ready() == "False/WaitForStart");
    set.count({.ready = 2}, {.ready = 2}, {.ready = 2});
    CHECK(set.ready() == "True/Started");
}

TEST_CASE("a JobSet without an order waits for all Jobs", "[job-kinds][podsready]") {
    JobSetCase set("", "");
    set.count({.ready = 2}, {.ready = 2});
    CHECK(set.ready() == "False/WaitForStart");
}

TEST_CASE("a JobSet in order waits no longer than for its completions", "[job-kinds][podsready]") {
    JobSetCase set("{name: first, status: Complete}", "", "InOrder");
    set.count({.ready = 2});
    CHECK(set.ready() == "True/Started");
    set.count({.succeeded = 2});
    CHECK(set.ready() == "False/WaitForRecovery");
}

TEST_CASE("a TrainJob is ready while an initializer runs", "[job-kinds][podsready][train]") {
    const std::string policy =
        GENERATE(std::string("{name: dataset-initializer, status: Complete}"), std::string());
    CAPTURE(policy);
    OrderCase train("trainjob");
    const ObjectKey runtime{
        train.cluster.controller()
            .registry.find("trainer.kubeflow.org", "ClusterTrainingRuntime")
            ->kind,
        "",
        "torch"
    };
    json::Value changed = *train.cluster.find(runtime);
    json::Array& jobs =
        changed.find("spec")->find("template")->find("spec")->find("replicatedJobs")->as_array();
    if (!policy.empty()) {
        jobs[1].set(
            "dependsOn",
            json::Array{json::Object{{"name", "dataset-initializer"}, {"status", "Complete"}}}
        );
    }
    train.cluster.put(json::print(changed));
    REQUIRE(train.create() == "");
    REQUIRE(train.condition("Admitted") == "True/Admitted");
    const auto count = [&train](const Counts& initializer, const Counts& node) {
        train.merge(
            "{status: {jobsStatus: [" + status_of("dataset-initializer", initializer) + ", " +
            status_of("node", node) + "]}}"
        );
    };
    count({}, {});
    CHECK(train.ready() == "False/WaitForStart");
    count({.ready = 1}, {});
    CHECK(train.ready() == (policy.empty() ? "False/WaitForStart" : "True/Started"));
    train.pass(1h);
    CHECK(train.condition("Evicted").empty() == !policy.empty());
    if (!policy.empty()) {
        count({.succeeded = 1}, {});
        CHECK(train.ready() == "False/WaitForRecovery");
        count({.succeeded = 1}, {.ready = 1});
        CHECK(train.ready() == "True/Recovered");
    }
}

}  // namespace sluice::controller
