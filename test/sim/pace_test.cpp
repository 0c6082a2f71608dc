#include "sim/objects/pace.hpp"

#include "cluster_world.hpp"
#include "sim/objects/fields.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <cstdint>
#include <limits>

namespace sluice::sim {

using namespace std::chrono_literals;
using test::ClusterWorld;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("a pace says how long by the clock something takes", "[sim]") {
    CHECK(Pace{.speed = 1}.scale(90s) == 90s);
    CHECK(Pace{.speed = 60}.scale(90s) == 1500ms);
    CHECK(Pace{.speed = 0.5}.scale_seconds(90) == 180s);
    CHECK(Pace{.speed = 60}.scale_seconds(-60) == -1s);
}

TEST_CASE("what would take for ever takes the longest time there is", "[sim]") {
    for (const double speed : {1e-300, 0.001, 0.5, 1.0}) {
        const Pace pace{.speed = speed};
        CHECK(pace.scale_seconds(kMost) == kLongest);
        CHECK(pace.scale_seconds(-kMost - 1) == -kLongest);
        CHECK(pace.scale(Duration::max()) == kLongest);
        CHECK(pace.scale(Duration::min()) == -kLongest);
    }
    CHECK(Pace{.speed = 1e300}.scale_seconds(kMost) == Duration());
}

TEST_CASE("a time stays among those that there are", "[sim]") {
    CHECK(later(Time(), 5s) == Time(5s));
    CHECK(later(Time(), -5s) == Time(-5s));
    CHECK(later(Time::max() - 1s, kLongest) == Time::max());
    CHECK(later(Time::min() + 1s, -kLongest) == Time::min());
}

TEST_CASE("a pod with a huge annotation runs on, at any speed", "[sim][cluster]") {
    for (const double speed : {0.001, 1.0, 100'000.0}) {
        ClusterWorld world({.pace = {.speed = speed}});
        world.create_yaml(
            "{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {sluice.dev/run-seconds: "
            "'9223372036854775807'}}, spec: {restartPolicy: Never, activeDeadlineSeconds: "
            "2147483647, containers: [{name: c, image: x}]}}"
        );
        world.pass(std::chrono::hours(1));
        CHECK(
            text_at(world.get("/api/v1/namespaces/default/pods/p"), {"status", "phase"}) ==
            "Running"
        );
    }
}

TEST_CASE("a Job may have the longest times that the API takes", "[sim][cluster]") {
    ClusterWorld world({.pace = {.speed = 0.001}});
    world.create_yaml(
        "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {activeDeadlineSeconds: "
        "9223372036854775807, ttlSecondsAfterFinished: 2147483647, template: {metadata: "
        "{annotations: {sluice.dev/run-seconds: '1'}}, spec: {restartPolicy: Never, containers: "
        "[{name: c, image: x}]}}}}"
    );
    world.pass(std::chrono::hours(1));
    CHECK(has_condition(world.get("/apis/batch/v1/namespaces/default/jobs/j"), "Complete"));
}

}  // namespace sluice::sim
