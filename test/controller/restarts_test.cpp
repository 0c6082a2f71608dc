#include "controller/described_story.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>

// Jobs of a JobSet that have succeeded, and that a failure of another Job starts once more.
namespace sluice::controller {
namespace {

/// The sample with that failure policy; one of its Jobs has succeeded.
std::string reclaimable_under(std::string_view policy, std::string_view status) {
    DescribedStory story("jobset");
    story.change("{spec: {failurePolicy: " + std::string(policy) + "}}");
    REQUIRE(story.create() == "");
    REQUIRE(story.condition("Admitted") == "True/Admitted");
    story.merge(
        "{status: {" + std::string(status) +
        "replicatedJobsStatus: [{name: workers, active: 1, ready: 1, succeeded: 1, failed: 0, "
        "suspended: 0}]}}"
    );
    return story.cluster.at(story.workload(), {"status", "reclaimablePods"});
}

}  // namespace

TEST_CASE("what a restart of its JobSet needs again gives no quota back", "[job-kinds]") {
    CHECK(reclaimable_under("{maxRestarts: 2}", "") == "");
    CHECK(reclaimable_under("{maxRestarts: 2}", "restarts: 5, restartsCountTowardsMax: 1, ") == "");
    constexpr std::string_view kUnlimited =
        "{rules: [{name: r, action: RestartJobSetAndIgnoreMaxRestarts}]}";
    CHECK(reclaimable_under(kUnlimited, "") == "");
}

TEST_CASE("a JobSet that cannot restart any more gives quota back", "[job-kinds]") {
    CHECK(reclaimable_under("{maxRestarts: 0}", "") != "");
    CHECK(reclaimable_under("{maxRestarts: 2}", "restarts: 2, restartsCountTowardsMax: 2, ") != "");
    CHECK(reclaimable_under("{rules: [{name: r, action: FailJobSet}]}", "") != "");
}

TEST_CASE("a TrainJob whose JobSet may restart gives no quota back", "[job-kinds]") {
    for (const bool may_restart : {true, false}) {
        DescribedStory story("trainjob");
        if (may_restart) {
            const auto* kind = story.cluster.controller().registry.find(
                "trainer.kubeflow.org", "ClusterTrainingRuntime"
            );
            REQUIRE(kind != nullptr);
            story.merge(
                {kind->kind, "", "torch"},
                "{spec: {template: {spec: {failurePolicy: {maxRestarts: 3}}}}}"
            );
        }
        REQUIRE(story.create() == "");
        REQUIRE(story.condition("Admitted") == "True/Admitted");
        story.merge(
            "{status: {jobsStatus: [{name: dataset-initializer, active: 0, ready: 0, succeeded: 1, "
            "failed: 0, suspended: 0}]}}"
        );
        CAPTURE(may_restart);
        CHECK(
            story.cluster.at(story.workload(), {"status", "reclaimablePods"}).empty() == may_restart
        );
    }
}

}  // namespace sluice::controller
