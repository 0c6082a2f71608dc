#include "controller/run_time_cluster.hpp"
#include "support/captured_log.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <string_view>

// Kinds of jobs that ConfigMaps describe while the controller runs.
namespace sluice::controller {
namespace {

constexpr std::string_view kExperiment = R"(
apiVersion: science.example/v1alpha1
kind: Experiment
suspend: {path: spec.state, suspended: Held, running: Go}
podSets:
- {at: spec, name: main, replicas: size, template: pod}
active: {path: status.phase, in: [Running]}
finished:
  succeeded: {path: status.phase, in: [Done]}
  failed: {path: status.phase, in: [Broken]}
)";

constexpr std::string_view kTrial = R"(
apiVersion: science.example/v1alpha1
kind: Trial
suspend: {path: spec.suspend}
podSets:
- {at: spec, name: main, replicas: size, template: pod}
active: {path: status.phase, in: [Running]}
)";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string made(text);
    made.replace(made.find(from), from.size(), to);
    return made;
}

}  // namespace

TEST_CASE("a kind that a ConfigMap describes at run time is queued", "[controller][run-time]") {
    RunTimeCluster cluster;
    cluster.start();
    cluster.put_experiment("before");
    cluster.pass_time();
    CHECK_FALSE(cluster.workload_of("before"));
    cluster.describe("kinds", {{"experiment", std::string(kExperiment)}});
    REQUIRE(cluster.eventually([&] { return cluster.state("before") == "Go"; }));
    cluster.put_experiment("second", 1, "Go");
    cluster.put_experiment("third", 1, "Go");
    CHECK(cluster.eventually([&] { return cluster.state("third") == "Held"; }));
    CHECK(cluster.eventually([&] { return cluster.state("second") == "Go"; }));
    CHECK(cluster.has_event(
        "JobKindDescribed", "experiment: jobs of science.example/v1alpha1 Experiment are managed"
    ));
    cluster.set_phase("before", "Done");
    CHECK(cluster.eventually([&] { return cluster.state("third") == "Go"; }));
    CHECK(cluster.condition("before", "Finished") == "True/Succeeded");
}

TEST_CASE("ConfigMaps elsewhere, or without the label, describe nothing", "[run-time]") {
    RunTimeCluster cluster;
    cluster.start();
    json::Value object = json::Object{
        {"metadata", json::Object{{"name", "kinds"}}},
        {"data", json::Object{{"experiment", std::string(kExperiment)}}},
    };
    cluster.client.put({"", "v1", "configmaps", "kueue-system", "", ""}, object);
    object.find("metadata")->set("labels", json::Object{{"sluice.dev/job-kinds", "true"}});
    cluster.client.put({"", "v1", "configmaps", "team", "", ""}, object);
    cluster.put_experiment("one");
    cluster.pass_time();
    CHECK_FALSE(cluster.workload_of("one"));
    for (const test::Call& call : cluster.client.calls()) {
        if (call.path.plural == "configmaps") {
            CHECK(call.path.namespace_ == "kueue-system");
        }
    }
}

TEST_CASE("a changed description is followed from then on", "[run-time]") {
    RunTimeCluster cluster;
    cluster.describe("kinds", {{"experiment", std::string(kExperiment)}});
    cluster.start();
    cluster.put_experiment("one");
    REQUIRE(cluster.eventually([&] { return cluster.state("one") == "Go"; }));
    cluster.describe(
        "kinds", {{"experiment", replaced(kExperiment, "running: Go", "running: Work")}}
    );
    cluster.pass_time();
    CHECK(cluster.state("one") == "Go");  // any value that is not `Held` runs
    cluster.put_experiment("two");
    CHECK(cluster.eventually([&] { return cluster.state("two") == "Work"; }));
    SECTION("also when it names another version") {
        cluster.client.serve(science_kind("Experiment", "experiments", "v1"));
        cluster.describe("kinds", {{"experiment", replaced(kExperiment, "v1alpha1", "v1")}});
        cluster.set_phase("one", "Done");
        cluster.set_phase("two", "Done");
        CHECK(cluster.eventually([&] {
            return cluster.condition("two", "Finished") == "True/Succeeded";
        }));
        const auto& calls = cluster.client.calls();
        CHECK(cluster.eventually([&] {
            return std::ranges::any_of(calls, [](const test::Call& call) {
                return call.verb == test::Verb::Watch && call.path.plural == "experiments" &&
                       call.path.version == "v1";
            });
        }));
        cluster.put_experiment("three");
        CHECK(cluster.eventually([&] { return cluster.state("three") == "Go"; }));
    }
}

TEST_CASE("a description that cannot work is refused, with the place", "[run-time]") {
    RunTimeCluster cluster;
    cluster.describe("broken", {{"experiment", "kind: Experiment"}});
    cluster.describe("kinds", {{"trial", std::string(kTrial)}});
    cluster.start();
    CHECK(cluster.eventually([&] {
        return cluster.has_event("InvalidJobKind", "experiment: apiVersion: ");
    }));
    CHECK(cluster.note_of("InvalidJobKind", "broken").find("suspend: is required") > 0);
    cluster.put_trial("other");
    CHECK(cluster.eventually([&] { return cluster.is_trial_running("other"); }));
    cluster.describe("broken", {{"experiment", std::string(kExperiment)}});
    cluster.put_experiment("one");
    CHECK(cluster.eventually([&] { return cluster.state("one") == "Go"; }));
    SECTION("and the last one of that key that could stays in force") {
        cluster.describe(
            "broken", {{"experiment", replaced(kExperiment, "path: spec.state", "path: 'a[*]'")}}
        );
        CHECK(cluster.eventually([&] {
            return cluster.has_event("InvalidJobKind", "experiment: suspend.path: \"a[*]\"");
        }));
        cluster.set_phase("one", "Done");
        cluster.put_experiment("two");
        CHECK(cluster.eventually([&] { return cluster.state("two") == "Go"; }));
        cluster.put_job("queued", 4);
        cluster.pass_time();
        CHECK_FALSE(cluster.is_job_running("queued"));
    }
    SECTION("text that is no YAML, too") {
        cluster.describe("broken", {{"experiment", "a: ["}});
        CHECK(cluster.eventually([&] {
            return cluster.has_event("InvalidJobKind", "experiment: line ");
        }));
    }
}

TEST_CASE("of a kind that is described twice one description is in force", "[run-time]") {
    RunTimeCluster cluster;
    const std::string other = replaced(kExperiment, "running: Go", "running: Other");
    SECTION("that of the configuration") {
        config::Integrations integrations;
        integrations.job_kinds = {*yaml::parse_document(kExperiment)};
        config::Problems problems;
        cluster.configured = job_kinds::configured_kinds(integrations, problems);
        REQUIRE(problems.empty());
        cluster.describe("kinds", {{"experiment", other}});
        cluster.start();
        CHECK(cluster.eventually([&] {
            return cluster.has_event(
                "DuplicateJobKind",
                "Experiment of science.example is described already by integrations.jobKinds"
            );
        }));
    }
    SECTION("or that of the oldest ConfigMap") {
        cluster.start();
        cluster.describe("a-young", {{"experiment", other}}, "2026-02-01T00:00:00Z");
        cluster.describe("old", {{"experiment", std::string(kExperiment)}}, "2026-01-01T00:00:00Z");
        CHECK(cluster.eventually([&] {
            return cluster.note_of("DuplicateJobKind", "a-young")
                       .find("described already by ConfigMap old, key experiment") > 0;
        }));
    }
    cluster.put_experiment("one");
    CHECK(cluster.eventually([&] { return cluster.state("one") == "Go"; }));
    CHECK(cluster.note_of("DuplicateJobKind", "old").empty());
}

TEST_CASE("a kind whose description is taken back is left alone", "[run-time]") {
    RunTimeCluster cluster;
    cluster.describe("kinds", {{"experiment", std::string(kExperiment)}});
    cluster.start();
    cluster.put_experiment("runs", 1);
    REQUIRE(cluster.eventually([&] { return cluster.state("runs") == "Go"; }));
    cluster.set_phase("runs", "Running");
    cluster.put_experiment("waits", 2);
    REQUIRE(cluster.eventually([&] { return cluster.workload_of("waits").has_value(); }));
    cluster.take_back("kinds");
    CHECK(cluster.eventually([&] {
        return cluster.condition("waits", "QuotaReserved") == "False/JobKindNotDescribed";
    }));
    cluster.put_experiment("new", 1, "Go");
    cluster.pass_time();
    CHECK_FALSE(cluster.workload_of("new"));
    CHECK(cluster.state("new") == "Go");
    CHECK(cluster.state("runs") == "Go");
    CHECK(cluster.condition("runs", "Admitted") == "True/Admitted");

    SECTION("what runs gives its quota back at its end, and what waits takes none") {
        cluster.put_job("big", 4);
        cluster.pass_time();
        CHECK_FALSE(cluster.is_job_running("big"));
        const test::CapturedLog log;
        cluster.set_phase("runs", "Done");
        CHECK(cluster.eventually([&] { return cluster.is_job_running("big"); }));
        CHECK(cluster.condition("runs", "Finished") == "True/Succeeded");
        CHECK(cluster.state("waits") == "Held");
        SECTION("then the kind is not followed any more") {
            CHECK(cluster.eventually([&] { return log.count("job kind is no longer watched") == 1; }
            ));
            // Its description comes back.
            cluster.describe("kinds", {{"experiment", std::string(kExperiment)}});
            cluster.complete_job("big");
            REQUIRE(cluster.eventually([&] { return cluster.workload_of("new").has_value(); }));
            cluster.set_phase("new", "Done");
            CHECK(cluster.eventually([&] { return cluster.state("waits") == "Go"; }));
        }
    }
    SECTION("so it does when it is deleted") {
        cluster.put_job("big", 4);
        cluster.client.erase(science_path("experiments", "runs"));
        CHECK(cluster.eventually([&] { return cluster.is_job_running("big"); }));
    }
    SECTION("and when it is evicted, once its pods have ended") {
        auto queue = *cluster.client.find<api::LocalQueue>("team", "main");
        queue.spec.stop_policy = api::stop_policy::kHoldAndDrain;
        cluster.client.add(queue);
        REQUIRE(cluster.eventually([&] { return cluster.state("runs") == "Held"; }));
        cluster.pass_time();
        CHECK(cluster.condition("runs", "QuotaReserved").starts_with("True"));
        cluster.set_phase("runs", "Stopped");
        CHECK(cluster.eventually([&] {
            return cluster.condition("runs", "QuotaReserved").starts_with("False");
        }));
        CHECK(cluster.state("runs") == "Held");
    }
    SECTION("nothing is lost when the description comes back") {
        const std::string uid = cluster.workload_of("runs")->metadata.uid;
        cluster.describe("kinds", {{"experiment", std::string(kExperiment)}});
        CHECK(cluster.eventually([&] { return cluster.state("new") == "Go"; }));
        CHECK(cluster.state("runs") == "Go");
        CHECK(cluster.workload_of("runs")->metadata.uid == uid);
        cluster.set_phase("runs", "Done");
        cluster.set_phase("new", "Done");
        CHECK(cluster.eventually([&] { return cluster.state("waits") == "Go"; }));
    }
}

TEST_CASE("a restart finds the described kinds again", "[run-time]") {
    RunTimeCluster cluster;
    cluster.describe("kinds", {{"experiment", std::string(kExperiment)}});
    cluster.start();
    cluster.put_experiment("runs", 2);
    REQUIRE(cluster.eventually([&] { return cluster.state("runs") == "Go"; }));
    cluster.put_experiment("waits", 2);
    REQUIRE(cluster.eventually([&] { return cluster.workload_of("waits").has_value(); }));
    cluster.stop();
    SECTION("as they are") {
        cluster.start();
        cluster.pass_time();
        CHECK(cluster.state("runs") == "Go");
        CHECK(cluster.state("waits") == "Held");
        cluster.set_phase("runs", "Done");
        CHECK(cluster.eventually([&] { return cluster.state("waits") == "Go"; }));
    }
    SECTION("one that went meanwhile holds what it has and is given no more") {
        cluster.take_back("kinds");
        cluster.start();
        CHECK(cluster.eventually([&] {
            return cluster.condition("waits", "QuotaReserved") == "False/JobKindNotDescribed";
        }));
        cluster.put_job("big", 4);
        cluster.pass_time();
        CHECK(cluster.state("runs") == "Go");
        CHECK_FALSE(cluster.is_job_running("big"));
        cluster.client.erase(science_path("experiments", "runs"));
        CHECK(cluster.eventually([&] { return cluster.is_job_running("big"); }));
        CHECK(cluster.condition("waits", "QuotaReserved") == "False/JobKindNotDescribed");
    }
    SECTION("one whose text was broken meanwhile, too") {
        cluster.describe("kinds", {{"experiment", "kind: Experiment"}});
        cluster.start();
        CHECK(cluster.eventually([&] {
            return cluster.condition("waits", "QuotaReserved") == "False/JobKindNotDescribed";
        }));
        cluster.describe("kinds", {{"experiment", std::string(kExperiment)}});
        cluster.set_phase("runs", "Done");
        CHECK(cluster.eventually([&] { return cluster.state("waits") == "Go"; }));
    }
}

TEST_CASE("a kind that is not served, or may not be listed, disturbs no other", "[run-time]") {
    RunTimeCluster cluster;
    const Error forbidden{ErrorCode::Forbidden, "experiments is forbidden", {}};
    cluster.client.fail_next(test::Verb::List, "experiments", forbidden, 100000);
    cluster.describe(
        "kinds",
        {{"experiment", std::string(kExperiment)},
         {"missing", replaced(kTrial, "kind: Trial", "kind: Missing")},
         {"trial", std::string(kTrial)}}
    );
    cluster.start();
    cluster.put_trial("one");
    CHECK(cluster.eventually([&] { return cluster.is_trial_running("one"); }));
    cluster.put_job("job", 1);
    CHECK(cluster.eventually([&] { return cluster.is_job_running("job"); }));
}

}  // namespace sluice::controller
