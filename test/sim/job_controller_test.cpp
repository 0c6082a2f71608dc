#include "sim/job_world.hpp"
#include "sim/objects/fields.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>

namespace sluice::test {

using namespace std::chrono_literals;

TEST_CASE("a Job makes pods until its completions are reached", "[sim][job]") {
    JobWorld world("{completions: 3, parallelism: 2}");
    CHECK(world.active_pods().size() == 2);
    CHECK(world.count("active") == 2);
    CHECK(world.count("ready") == 0);
    world.start_pods();
    CHECK(world.count("ready") == 2);
    world.end_pod(true);
    CHECK(world.count("succeeded") == 1);
    CHECK(world.count("active") == 2);
    world.end_pod(true);
    CHECK(world.count("active") == 1);
    CHECK(world.condition("Complete").empty());
    world.end_pod(true);
    CHECK(world.count("succeeded") == 3);
    CHECK(world.condition("SuccessCriteriaMet") == "True/CompletionsReached");
    CHECK(world.condition("Complete") == "True/CompletionsReached");
    CHECK_FALSE(world.text("completionTime").empty());
    CHECK(world.events().back() == "Completed");
    CHECK(world.job.find_path({"status", "uncountedTerminatedPods"})->as_object().empty());
}

TEST_CASE(
    "a work queue is done when one pod has succeeded and the others have ended", "[sim][job]"
) {
    JobWorld world("{completions: null, parallelism: 3}");
    CHECK(world.active_pods().size() == 3);
    world.end_pod(true);
    CHECK(world.active_pods().size() == 2);
    world.end_pod(false);
    CHECK(world.condition("Complete").empty());
    world.end_pod(true);
    CHECK(world.condition("Complete") == "True/CompletionsReached");
}

TEST_CASE("a suspended Job has no pods and no start", "[sim][job]") {
    JobWorld world("{suspend: true, completions: 2, parallelism: 2}");
    CHECK(world.pods() == 0);
    CHECK(world.condition("Suspended") == "True/JobSuspended");
    CHECK(world.text("startTime").empty());
    world.pass(1min);
    world.change("{spec: {suspend: false}}");
    CHECK(world.condition("Suspended") == "False/JobResumed");
    CHECK(world.text("startTime") == "2026-01-01T00:01:00Z");
    CHECK(world.active_pods().size() == 2);
    world.start_pods();
    SECTION("suspended again its pods go and count for nothing") {
        world.change("{spec: {suspend: true}}");
        CHECK(world.active_pods().empty());
        CHECK(world.count("active") == 0);
        CHECK(world.count("terminating") == 2);
        world.confirm_deletions();
        CHECK(world.count("terminating") == 0);
        CHECK(world.count("failed") == 0);
        CHECK(world.pods() == 0);
        world.change("{spec: {suspend: false}}");
        CHECK(world.active_pods().size() == 2);
    }
}

TEST_CASE("failed pods are replaced, ever later, up to the backoff limit", "[sim][job]") {
    JobWorld world("{completions: 1, backoffLimit: 2}");
    world.end_pod(false);
    CHECK(world.count("failed") == 1);
    CHECK(world.active_pods().empty());
    world.pass(9s);
    CHECK(world.active_pods().empty());
    world.pass(1s);
    CHECK(world.active_pods().size() == 1);
    world.end_pod(false);
    world.pass(19s);
    CHECK(world.active_pods().empty());
    world.pass(1s);
    REQUIRE(world.active_pods().size() == 1);
    world.end_pod(false);
    CHECK(world.condition("FailureTarget") == "True/BackoffLimitExceeded");
    CHECK(world.condition("Failed") == "True/BackoffLimitExceeded");
    CHECK(world.count("failed") == 3);
    world.pass(1h);
    CHECK(world.active_pods().empty());
}

TEST_CASE("a Job that fails ends its other pods first", "[sim][job]") {
    JobWorld world("{completions: 3, parallelism: 3, backoffLimit: 0}");
    world.start_pods();
    world.end_pod(false);
    CHECK(world.condition("FailureTarget") == "True/BackoffLimitExceeded");
    CHECK(world.condition("Failed").empty());
    CHECK(world.count("terminating") == 2);
    world.confirm_deletions();
    CHECK(world.condition("Failed") == "True/BackoffLimitExceeded");
    CHECK(world.count("failed") == 3);
    CHECK(world.count("terminating") == 0);
}

TEST_CASE("a Job fails when its time is over", "[sim][job]") {
    JobWorld world("{completions: 1, activeDeadlineSeconds: 60}");
    world.start_pods();
    world.pass(59s);
    CHECK(world.condition("FailureTarget").empty());
    world.pass(1s);
    CHECK(world.condition("FailureTarget") == "True/DeadlineExceeded");
    world.confirm_deletions();
    CHECK(world.condition("Failed") == "True/DeadlineExceeded");
}

TEST_CASE("each pod of an Indexed Job knows its index", "[sim][job]") {
    JobWorld world("{completionMode: Indexed, completions: 4, parallelism: 3}");
    const auto names = world.active_pods();
    REQUIRE(names.size() == 3);
    CHECK(names[0].starts_with("j-0-"));
    const json::Value& pod = world.pod(names[1]);
    CHECK(sim::text_at(pod, {"spec", "hostname"}) == "j-1");
    CHECK(
        sim::text_at(pod, {"metadata", "labels", "batch.kubernetes.io/job-completion-index"}) == "1"
    );
    const auto& container = sim::list_at(pod, {"spec", "containers"}).front();
    CHECK(sim::list_at(container, {"env"}).front().string_at("name") == "JOB_COMPLETION_INDEX");
    world.end_pod(true, 2);
    CHECK(world.text("completedIndexes") == "2");
    world.end_pod(true, 0);
    world.end_pod(true, 3);
    CHECK(world.text("completedIndexes") == "0,2,3");
    CHECK(world.active_pods().size() == 1);
    world.end_pod(false, 1);
    world.pass(10s);
    world.end_pod(true, 1);
    CHECK(world.text("completedIndexes") == "0-3");
    CHECK(world.condition("Complete") == "True/CompletionsReached");
}

TEST_CASE("a pod has what its template says, and no more", "[sim][job]") {
    JobWorld plain("{}");
    const json::Value& metadata = *plain.pod(plain.active_pods().front()).find("metadata");
    CHECK(metadata.find("annotations") == nullptr);
    CHECK(metadata.find_path({"labels", "job-name"}) != nullptr);
    JobWorld world("{template: {metadata: {finalizers: [example.com/hold]}}}");
    const std::string pod = world.active_pods().front();
    CHECK(
        *world.pod(pod).find_path({"metadata", "finalizers"}) ==
        json::Value(json::Array{"example.com/hold", "batch.kubernetes.io/job-tracking"})
    );
    world.end_pod(true);
    CHECK(
        *world.pod(pod).find_path({"metadata", "finalizers"}) ==
        json::Value(json::Array{"example.com/hold"})
    );
}

TEST_CASE("an index that failed too often is given up, the others go on", "[sim][job]") {
    JobWorld world(
        "{completionMode: Indexed, completions: 3, parallelism: 3, backoffLimitPerIndex: 1}"
    );
    world.end_pod(false, 1);
    CHECK(world.text("failedIndexes").empty());
    CHECK(world.active_pods().size() == 2);
    world.pass(10s);
    CHECK(world.active_pods().size() == 3);
    world.end_pod(false, 1);
    CHECK(world.text("failedIndexes") == "1");
    world.pass(10min);
    CHECK(world.active_pods().size() == 2);
    world.end_pod(true, 0);
    world.end_pod(true, 2);
    CHECK(world.condition("Failed") == "True/FailedIndexes");
    CHECK(world.text("completedIndexes") == "0,2");
}

TEST_CASE("the first rule of success that is met ends the Job", "[sim][job]") {
    JobWorld world(
        "{completionMode: Indexed, completions: 4, parallelism: 4,"
        " successPolicy: {rules: [{succeededIndexes: '1,3', succeededCount: 1}]}}"
    );
    world.start_pods();
    world.end_pod(true, 0);
    CHECK(world.condition("SuccessCriteriaMet").empty());
    world.end_pod(true, 3);
    CHECK(world.condition("SuccessCriteriaMet") == "True/SuccessPolicy");
    CHECK(world.active_pods().empty());
    world.confirm_deletions();
    CHECK(world.condition("Complete") == "True/SuccessPolicy");
    CHECK(world.text("completedIndexes") == "0,3");
}

TEST_CASE("a policy of failures decides by exit codes", "[sim][job]") {
    JobWorld world(
        "{completions: 2, parallelism: 2, backoffLimit: 0, podFailurePolicy: {rules: ["
        "{action: Ignore, onExitCodes: {operator: In, values: [7]}},"
        "{action: FailJob, onExitCodes: {operator: In, values: [42]}}]}}"
    );
    world.end_pod(false, -1, 7);
    CHECK(world.count("failed") == 0);
    world.pass(10s);
    CHECK(world.active_pods().size() == 2);
    world.end_pod(false, -1, 42);
    CHECK(world.condition("FailureTarget") == "True/PodFailurePolicy");
    world.confirm_deletions();
    CHECK(world.condition("Failed") == "True/PodFailurePolicy");
}

TEST_CASE("fewer pods are wanted: those that lose the least go", "[sim][job]") {
    JobWorld world("{completions: 5, parallelism: 1}");
    world.start_pods();
    const auto running = world.active_pods();
    world.change("{spec: {parallelism: 3}}");
    CHECK(world.active_pods().size() == 3);
    world.change("{spec: {parallelism: 1}}");
    CHECK(world.active_pods() == running);
    world.change("{spec: {parallelism: 0}}");
    CHECK(world.active_pods().empty());
}

TEST_CASE("a Job that another controller manages is left alone", "[sim][job]") {
    JobWorld world("{managedBy: kueue.x-k8s.io/multikueue}");
    CHECK(world.pods() == 0);
    CHECK(world.job.find("status") == nullptr);
}

TEST_CASE("a pod that is deleted counts as failed, at once or when it has ended", "[sim][job]") {
    const bool at_once = GENERATE(true, false);
    JobWorld world(at_once ? "{completions: 1}" : "{completions: 1, podReplacementPolicy: Failed}");
    world.start_pods();
    world.delete_pod(world.active_pods().front());
    CHECK(world.count("failed") == (at_once ? 1 : 0));
    CHECK(world.count("terminating") == 1);
    world.pass(1min);
    CHECK(world.active_pods().size() == (at_once ? 1U : 0U));
    world.confirm_deletions();
    world.pass(1min);
    CHECK(world.count("failed") == 1);
    CHECK(world.active_pods().size() == 1);
}

}  // namespace sluice::test
