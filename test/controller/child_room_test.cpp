#include "api/meta/micro_time.hpp"
#include "controller/described_story.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/serving_samples.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

// Jobs below a managed one: its Workload counts for them, and they may not ask for more.
namespace sluice::controller {
namespace {

constexpr std::string_view kWarning = "ExceedsParent";

/// A Job below the object, of pods of one cpu each.
json::Value child(
    const MiniCluster& cluster, const ObjectKey& parent, std::string_view name, int pods
) {
    return *yaml::parse_document(fmt::format(
        R"(
apiVersion: batch/v1
kind: Job
metadata:
  name: {}
  namespace: team
  ownerReferences: [{{apiVersion: {}, kind: {}, name: {}, uid: "{}", controller: true}}]
spec:
  parallelism: {}
  completions: 100
  template:
    spec: {{containers: [{{name: c, image: i, resources: {{requests: {{cpu: 1}}}}}}]}}
)",
        name,
        parent.kind.api_version(),
        parent.kind.name(),
        parent.name,
        cluster.at(parent, {"metadata", "uid"}),
        pods
    ));
}

bool is_warned(const MiniCluster& cluster, std::string_view part) {
    return std::ranges::any_of(cluster.events, [&](const EventNote& event) {
        return event.reason == kWarning && event.type == EventType::Warning &&
               event.note.find(part) != std::string::npos;
    });
}

/// A JobSet that was admitted with 4500m.
struct AdmittedJobSet {
    AdmittedJobSet() {
        REQUIRE(story.create() == "");
        REQUIRE(story.condition("Admitted") == "True/Admitted");
    }
    json::Value child(std::string_view name, int pods) const {
        return controller::child(story.cluster, story.job, name, pods);
    }
    /// Past all webhooks.
    void put(std::string_view name, int pods) { put(child(name, pods)); }
    void put(const json::Value& object) {
        story.cluster.put(json::print(object));
        story.cluster.settle();
    }
    bool is_suspended(std::string_view name) const {
        return story.cluster.at(job_key(name), {"spec", "suspend"}) == "true";
    }

    DescribedStory story{"jobset"};
};

}  // namespace

TEST_CASE("jobs below a managed one run as far as its Workload counts", "[children]") {
    AdmittedJobSet set;
    set.put("a", 2);
    set.put("b", 2);
    CHECK_FALSE(set.is_suspended("a"));
    CHECK_FALSE(set.is_suspended("b"));
    CHECK(
        set.story.cluster.events.end() ==
        std::ranges::find(set.story.cluster.events, std::string(kWarning), &EventNote::reason)
    );
    set.put("c", 1);
    CHECK(set.is_suspended("c"));
    CHECK_FALSE(set.is_suspended("a"));
    CHECK_FALSE(set.is_suspended("b"));
    CHECK(is_warned(
        set.story.cluster,
        "JobSet sample of namespace team counts 4500m of cpu, of which 4 are taken, and this asks "
        "for 1: remove the owner reference and name a queue, or ask for less"
    ));
    SECTION("those that have ended leave room") {
        complete(set.story.cluster, "b");
        set.put("d", 1);
        CHECK_FALSE(set.is_suspended("d"));
    }
    SECTION("its own queue does not let it run") {
        json::Value named = set.child("d", 1);
        named.find("metadata")->set("labels", json::Object{{"kueue.x-k8s.io/queue-name", "main"}});
        set.put(named);
        CHECK(set.is_suspended("d"));
    }
    SECTION("one that is told to end counts while its pods run") {
        set.story.merge(job_key("b"), "{metadata: {finalizers: [example.com/own]}}");
        set_active_pods(set.story.cluster, "b", 2);
        set.story.cluster.remove(job_key("b"));
        set.story.cluster.settle();
        set.put("d", 1);
        CHECK(set.is_suspended("d"));
        set_active_pods(set.story.cluster, "b", 0);
        set.put("e", 1);
        set.story.cluster.settle();
        CHECK(set.is_suspended("e"));  // "c" and "d" are older
    }
}

TEST_CASE(
    "a Workload that a finalizer keeps hides no child from its parent", "[children][bypass]"
) {
    AdmittedJobSet set;
    MiniCluster& cluster = set.story.cluster;
    set.put("a", 2);
    const ObjectKey forged{kind_of<api::Workload>(), "team", "forged"};
    cluster.put(fmt::format(
        "{{'kind':'Workload','metadata':{{'name':'forged','namespace':'team','finalizers':"
        "['example.com/hold'],'ownerReferences':[{{'apiVersion':'batch/v1','kind':'Job','name':"
        "'a','uid':'{}','controller':true}}]}},'spec':{{'queueName':'none','active':true,"
        "'podSets':[{{'name':'main','count':2,'template':{{'spec':{{'containers':[{{'name':'c',"
        "'image':'i','resources':{{'requests':{{'cpu':'1'}}}}}}]}}}}}}]}}}}",
        cluster.at(job_key("a"), {"metadata", "uid"})
    ));
    cluster.settle();
    REQUIRE(cluster.at(forged, {"metadata", "deletionTimestamp"}) != "");
    CHECK_FALSE(set.is_suspended("a"));
    SECTION("and gets no quota") {
        set.story.merge(forged, "{spec: {queueName: main}}");
        CHECK(cluster.condition("team", "forged", "QuotaReserved") != "True/QuotaReserved");
    }
    SECTION("and frees it from no limit") {
        set.story.merge(job_key("a"), "{spec: {parallelism: 5}}");
        CHECK(set.is_suspended("a"));
    }
}

TEST_CASE("an older child that grows takes the room of a younger one", "[children]") {
    AdmittedJobSet set;
    set.put("a", 2);
    set.story.cluster.clock.advance(std::chrono::seconds(2));
    set.put("b", 2);
    set.story.merge(job_key("a"), "{spec: {parallelism: 4}}");
    CHECK_FALSE(set.is_suspended("a"));
    CHECK(set.is_suspended("b"));
    set.story.merge(job_key("a"), "{spec: {parallelism: 5}}");
    CHECK(set.is_suspended("a"));
}

TEST_CASE(
    "another job's Workload that names a child as its owner leaves it a child", "[children]"
) {
    AdmittedJobSet set;
    set.put("a", 2);
    REQUIRE_FALSE(set.is_suspended("a"));
    MiniCluster& cluster = set.story.cluster;
    cluster.put(job("other", 1));
    cluster.settle();
    REQUIRE(is_running(cluster, "other"));
    const ObjectKey workload = workload_key(cluster, "other");
    cluster.merge(
        workload,
        fmt::format(
            "{{'metadata':{{'ownerReferences':[{{'apiVersion':'batch/v1','kind':'Job','name':'a',"
            "'uid':'{}','controller':true}}]}}}}",
            cluster.at(job_key("a"), {"metadata", "uid"})
        )
    );
    cluster.settle();
    CHECK_FALSE(set.is_suspended("a"));
    CHECK(workload_key(cluster, "other") == workload);
    CHECK_FALSE(has_event(cluster, "Stopped", "No matching Workload"));
}

TEST_CASE("a child that its controller resumes is stopped again after ten seconds", "[children]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("busy", 4));
    cluster.put(job("waits", 4));
    cluster.settle();
    cluster.put(json::print(child(cluster, job_key("waits"), "child", 1)));
    // Its controller is faster than the second write of a stop, and than that of Jobs.
    int stops = 0;
    const auto report = [&](const char* is_suspended) {
        set_status(
            cluster,
            job_key("child"),
            fmt::format(
                "'conditions':[{{'type':'Suspended','status':'{}','lastTransitionTime':'{}'}}]",
                is_suspended,
                api::to_string(cluster.clock.now())
            )
        );
    };
    cluster.fault = [&](const Write& write) -> std::optional<Error> {
        if (write.object == job_key("child") &&
            cluster.at(job_key("child"), {"spec", "suspend"}) == "true") {
            ++stops;
            cluster.merge(job_key("child"), "{'spec':{'suspend':false}}");
            report("True");
        }
        return std::nullopt;
    };
    for (int second = 0; second < 50; ++second) {
        cluster.settle();
        report("False");
        cluster.settle();
        cluster.clock.advance(std::chrono::seconds(10));
    }
    CHECK(stops >= 10);
    CHECK(stops <= 100);
}

TEST_CASE("the webhook suspends a child without room", "[children][admission]") {
    AdmittedJobSet set;
    REQUIRE(set.story.cluster.create(set.child("a", 4)) == "");
    set.story.cluster.settle();
    REQUIRE(set.story.cluster.create(set.child("b", 1)) == "");
    CHECK_FALSE(set.is_suspended("a"));
    CHECK(set.is_suspended("b"));
}

TEST_CASE("nothing that asks for anything runs below a Job", "[children]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("parent", 4));
    cluster.settle();
    REQUIRE(is_running(cluster, "parent"));
    cluster.put(json::print(child(cluster, job_key("parent"), "child", 1)));
    cluster.settle();
    CHECK(cluster.at(job_key("child"), {"spec", "suspend"}) == "true");
    CHECK(is_warned(cluster, "counts 4 of cpu, of which 4 are taken"));
    SECTION("nor below a child of it that asks for nothing") {
        json::Value between = child(cluster, job_key("parent"), "between", 0);
        cluster.put(json::print(between));
        cluster.settle();
        CHECK(cluster.at(job_key("between"), {"spec", "suspend"}) != "true");
        cluster.put(json::print(child(cluster, job_key("between"), "below", 1)));
        cluster.settle();
        CHECK(cluster.at(job_key("below"), {"spec", "suspend"}) == "true");
    }
}

}  // namespace sluice::controller
