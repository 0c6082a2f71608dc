#include "cluster_world.hpp"
#include "sim/objects/fields.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace sluice::test {

using namespace std::chrono_literals;
using sim::list_at;
using sim::text_at;

namespace {

const std::string kCronJob = "/apis/batch/v1/namespaces/default/cronjobs/tick";
const std::string kJobs = "/apis/batch/v1/namespaces/default/jobs";

/// The world begins at 2026-01-01T00:00:00Z, which is the minute 29453760 of Unix time.
std::string cron_job(std::string_view spec, std::string_view run_seconds = "30") {
    return "{apiVersion: batch/v1, kind: CronJob, metadata: {name: tick}, spec: {" +
           std::string(spec) +
           ", jobTemplate: {metadata: {labels: {team: a}}, spec: {backoffLimit: 0, template: "
           "{metadata: {annotations: {sluice.dev/run-seconds: '" +
           std::string(run_seconds) +
           "'}}, spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}}";
}

std::vector<std::string> job_names(ClusterWorld& world) {
    std::vector<std::string> names;
    for (const json::Value& job : world.list(kJobs)) {
        names.emplace_back(text_at(job, {"metadata", "name"}));
    }
    return names;
}

std::vector<std::string> active_names(ClusterWorld& world) {
    const json::Value known = world.get(kCronJob);
    std::vector<std::string> names;
    for (const json::Value& each : list_at(known, {"status", "active"})) {
        names.emplace_back(each.string_at("name"));
    }
    return names;
}

std::int64_t count_events(ClusterWorld& world, std::string_view reason) {
    return std::ranges::count(world.events("CronJob"), reason);
}

}  // namespace

TEST_CASE("a CronJob starts a Job whenever its time comes", "[sim][cron]") {
    ClusterWorld world;
    world.create_yaml(cron_job("schedule: '*/2 * * * *'"));
    CHECK(world.list(kJobs).empty());
    world.pass(2min);
    REQUIRE(job_names(world) == std::vector<std::string>{"tick-29453762"});
    const json::Value job = world.list(kJobs).front();
    CHECK(text_at(job, {"metadata", "labels", "team"}) == "a");
    CHECK(
        text_at(
            job, {"metadata", "annotations", "batch.kubernetes.io/cronjob-scheduled-timestamp"}
        ) == "2026-01-01T00:02:00Z"
    );
    const json::Value& owner = list_at(job, {"metadata", "ownerReferences"}).front();
    CHECK(owner.string_at("kind") == "CronJob");
    CHECK(sim::is_true_at(owner, {"controller"}));
    CHECK(active_names(world) == std::vector<std::string>{"tick-29453762"});
    CHECK(text_at(world.get(kCronJob), {"status", "lastScheduleTime"}) == "2026-01-01T00:02:00Z");
    CHECK(text_at(world.get(kCronJob), {"status", "lastSuccessfulTime"}).empty());

    world.pass(1min);
    CHECK(active_names(world).empty());
    CHECK(text_at(world.get(kCronJob), {"status", "lastSuccessfulTime"}) == "2026-01-01T00:02:30Z");
    world.pass(3min);
    CHECK(
        job_names(world) ==
        std::vector<std::string>{"tick-29453762", "tick-29453764", "tick-29453766"}
    );
    CHECK(count_events(world, "SuccessfulCreate") == 3);
    CHECK(count_events(world, "SawCompletedJob") == 2);
    CHECK(count_events(world, "UnexpectedJob") == 0);
    CHECK(count_events(world, "MissingJob") == 0);
    SECTION("and keeps the latest that have ended") {
        world.pass(10min);
        CHECK(
            job_names(world) ==
            std::vector<std::string>{
                "tick-29453770", "tick-29453772", "tick-29453774", "tick-29453776"
            }
        );
        CHECK(count_events(world, "MissingJob") == 0);
    }
    SECTION("but not while it is suspended") {
        world.send("PATCH", kCronJob, "{spec: {suspend: true}}");
        world.pass(10min);
        CHECK(job_names(world).size() == 3);
        // The latest time that has passed counts once it may go on.
        world.send("PATCH", kCronJob, "{spec: {suspend: false}}");
        CHECK(job_names(world).back() == "tick-29453776");
    }
    SECTION("and its Jobs go with it") {
        world.send("DELETE", kCronJob);
        CHECK(world.list(kJobs).empty());
    }
}

TEST_CASE("the concurrency policy says what becomes of a Job that still runs", "[sim][cron]") {
    ClusterWorld world;
    SECTION("Allow: both run") {
        world.create_yaml(cron_job("schedule: '* * * * *'", "150"));
        world.pass(2min);
        CHECK(active_names(world).size() == 2);
    }
    SECTION("Forbid: the next one waits") {
        world.create_yaml(cron_job("schedule: '* * * * *', concurrencyPolicy: Forbid", "150"));
        world.pass(3min);
        CHECK(job_names(world) == std::vector<std::string>{"tick-29453761"});
        CHECK(count_events(world, "JobAlreadyActive") >= 1);
        world.pass(30s);
        CHECK(active_names(world) == std::vector<std::string>{"tick-29453763"});
    }
    SECTION("Replace: it is deleted") {
        world.create_yaml(cron_job("schedule: '* * * * *', concurrencyPolicy: Replace", "150"));
        world.pass(3min);
        CHECK(job_names(world) == std::vector<std::string>{"tick-29453763"});
        CHECK(active_names(world) == std::vector<std::string>{"tick-29453763"});
        CHECK(count_events(world, "SuccessfulDelete") == 2);
        CHECK(count_events(world, "MissingJob") == 0);
    }
}

TEST_CASE("a CronJob tells what it did not expect", "[sim][cron]") {
    ClusterWorld world;
    SECTION("a Job that is deleted by others is missed") {
        world.create_yaml(cron_job("schedule: '* * * * *'", "150"));
        world.pass(1min);
        world.send("DELETE", kJobs + "/tick-29453761", "{propagationPolicy: Background}");
        CHECK(active_names(world).empty());
        CHECK(count_events(world, "MissingJob") == 1);
        CHECK(job_names(world).empty());  // its time is dealt with
    }
    SECTION("a failed Job is kept, one of them") {
        world.create_yaml(cron_job("schedule: '* * * * *'", "10', sluice.dev/exit-code: '3"));
        world.pass(3min + 30s);
        CHECK(job_names(world) == std::vector<std::string>{"tick-29453763"});
        CHECK(text_at(world.get(kCronJob), {"status", "lastSuccessfulTime"}).empty());
    }
    SECTION("a zone whose rules it does not know starts nothing") {
        world.create_yaml(cron_job("schedule: '* * * * *', timeZone: Europe/Berlin"));
        world.pass(5min);
        CHECK(world.list(kJobs).empty());
        CHECK(count_events(world, "UnknownTimeZone") == 1);
    }
    SECTION("a time that never comes is told") {
        world.create_yaml(cron_job("schedule: '59 23 31 2 *'"));
        world.pass(10min);
        CHECK(world.list(kJobs).empty());
        CHECK(count_events(world, "InvalidSchedule") == 1);
    }
    SECTION("what comes too late is not started") {
        world.create_yaml(
            cron_job("schedule: '0 * * * *', startingDeadlineSeconds: 60, suspend: true")
        );
        world.pass(1h + 5min);
        world.send("PATCH", kCronJob, "{spec: {suspend: false}}");
        CHECK(world.list(kJobs).empty());
        world.pass(1h);
        CHECK(job_names(world) == std::vector<std::string>{"tick-29453880"});
    }
    SECTION("more than a hundred missed times are told, and the latest counts") {
        world.create_yaml(cron_job("schedule: '* * * * *', suspend: true"));
        world.pass(48h);
        world.send("PATCH", kCronJob, "{spec: {suspend: false}}");
        CHECK(count_events(world, "TooManyMissedTimes") >= 1);
        CHECK(job_names(world) == std::vector<std::string>{"tick-29456640"});
    }
}

}  // namespace sluice::test
