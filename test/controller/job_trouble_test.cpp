#include "api/meta/codec.hpp"
#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

// Jobs that are caught half stopped, and Jobs with labels that a webhook would refuse.
namespace sluice::controller {
namespace {

constexpr std::string_view kHasPod = "{'status':{'active':1,'startTime':'2020-01-01T00:00:00Z'}}";

bool is_stopping(const MiniCluster& cluster, std::string_view name) {
    return cluster.at(job_key(name), {"metadata", "annotations", "kueue.x-k8s.io/stopping"}) ==
           "true";
}

/// The notes of the warnings with that reason.
std::vector<std::string> warnings(const MiniCluster& cluster, std::string_view reason) {
    std::vector<std::string> notes;
    for (const EventNote& event : cluster.events) {
        if (event.type == EventType::Warning && event.reason == reason &&
            event.regarding.kind == "Job") {
            notes.push_back(event.note);
        }
    }
    return notes;
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a job that is admitted while it is being stopped stops and then runs", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const bool with_restart = GENERATE(true, false);
    make_queues(cluster);
    cluster.put(job("first", 4));
    cluster.settle();
    cluster.put(job("second", 2));
    cluster.settle();
    cluster.merge(job_key("second"), kHasPod);
    cluster.merge(job_key("second"), "{'spec':{'suspend':false}}");  // its user is impatient
    cluster.settle();
    REQUIRE(is_stopping(cluster, "second"));

    complete(cluster, "first");
    cluster.settle();
    const std::string workload = cluster.workload_of("team", "second");
    REQUIRE(cluster.condition("team", workload, "Admitted") == "True/Admitted");
    REQUIRE(is_stopping(cluster, "second"));
    if (with_restart) {
        cluster.restart();
    }
    set_active_pods(cluster, "second", 0);
    cluster.settle();
    CHECK_FALSE(is_stopping(cluster, "second"));
    CHECK(is_running(cluster, "second"));
    CHECK(cluster.workload_of("team", "second") == workload);
}

TEST_CASE(
    "a job that matches again while it is being stopped stops and then runs", "[controller]"
) {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    make_queues(cluster);
    cluster.put(job("sample", 2));
    cluster.settle();
    cluster.merge(job_key("sample"), kHasPod);
    cluster.merge(job_key("sample"), "{'spec':{'parallelism':0}}");
    cluster.settle();
    REQUIRE(is_stopping(cluster, "sample"));
    cluster.merge(job_key("sample"), "{'spec':{'parallelism':1}}");
    cluster.settle();
    set_active_pods(cluster, "sample", 0);
    cluster.settle();
    CHECK_FALSE(is_stopping(cluster, "sample"));
    CHECK(is_running(cluster, "sample"));
}

TEST_CASE("a victim whose label names no class gives its quota up", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    make_queues(cluster);
    cluster.put("{'kind':'WorkloadPriorityClass','metadata':{'name':'low'},'value':1}");
    cluster.put("{'kind':'WorkloadPriorityClass','metadata':{'name':'high'},'value':1000}");
    cluster.put(job("victim", 3, ",'kueue.x-k8s.io/priority-class':'low'"));
    cluster.settle();
    cluster.merge(
        job_key("victim"), "{'metadata':{'labels':{'kueue.x-k8s.io/priority-class':'lwo'}}}"
    );
    cluster.settle();
    CHECK(is_running(cluster, "victim"));
    const auto told = warnings(cluster, "WorkloadPriorityClassNotFound");
    REQUIRE_FALSE(told.empty());
    CHECK(told.front() == "WorkloadPriorityClass \"lwo\" not found");
    cluster.settle(std::chrono::minutes(10));
    CHECK(warnings(cluster, "WorkloadPriorityClassNotFound").size() == told.size());

    cluster.put(job("urgent", 3, ",'kueue.x-k8s.io/priority-class':'high'"));
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "victim"));
    CHECK(is_running(cluster, "urgent"));
    CHECK(cluster.at(workload_key(cluster, "victim"), {"spec", "priority"}) == "1");
    cluster.put("{'kind':'WorkloadPriorityClass','metadata':{'name':'lwo'},'value':2}");
    cluster.settle();
    CHECK(cluster.at(workload_key(cluster, "victim"), {"spec", "priority"}) == "2");
}

TEST_CASE("a job whose label names no class any more runs when it is admitted", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put("{'kind':'WorkloadPriorityClass','metadata':{'name':'low'},'value':1}");
    cluster.put(job("first", 4));
    cluster.settle();
    cluster.put(job("second", 4, ",'kueue.x-k8s.io/priority-class':'low'"));
    cluster.settle();
    cluster.merge(
        job_key("second"), "{'metadata':{'labels':{'kueue.x-k8s.io/priority-class':'lwo'}}}"
    );
    complete(cluster, "first");
    cluster.settle();
    CHECK(is_running(cluster, "second"));
}

TEST_CASE("a label that cannot be read changes nothing for a workload", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const auto* field = GENERATE("max-exec-time-seconds", "job-min-parallelism");
    const bool is_admitted = GENERATE(true, false);
    make_queues(cluster);
    cluster.put(job("sample", is_admitted ? 2 : 5));
    cluster.settle();
    REQUIRE(is_running(cluster, "sample") == is_admitted);
    const ObjectKey workload = workload_key(cluster, "sample");
    const std::string uid = cluster.at(workload, {"metadata", "uid"});
    const std::string spec = cluster.at(workload, {"spec"});
    const std::string entry = std::string("{'kueue.x-k8s.io/") + field + "':'soon'}";
    cluster.merge(
        job_key("sample"), "{'metadata':{'labels':" + entry + ",'annotations':" + entry + "}}"
    );
    cluster.settle(std::chrono::minutes(10));
    CHECK(is_running(cluster, "sample") == is_admitted);
    CHECK(cluster.at(workload, {"metadata", "uid"}) == uid);
    CHECK(cluster.at(workload, {"spec"}) == spec);
    const auto told = warnings(cluster, "InvalidSpec");
    REQUIRE(told.size() == 1);
    CHECK(contains(told.front(), field));
    CHECK(contains(told.front(), "\"soon\""));
}

TEST_CASE(
    "a job whose workload the API server refuses is told the server's words", "[controller]"
) {
    MiniCluster cluster;
    make_queues(cluster);
    const std::string words = "Workload.kueue.x-k8s.io \"w\" is invalid: spec.queueName: no name";
    cluster.fault = [&words](const Write& write) -> std::optional<Error> {
        const json::Value* queue = write.body.find_path({"spec", "queueName"});
        return queue != nullptr && *queue == json::Value("Team_A")
                   ? std::optional(Error{ErrorCode::Invalid, words, {}})
                   : std::nullopt;
    };
    const bool is_new = GENERATE(true, false);
    cluster.put(job("sample", 5));
    if (!is_new) {
        cluster.settle();
    }
    cluster.merge(
        job_key("sample"), "{'metadata':{'labels':{'kueue.x-k8s.io/queue-name':'Team_A'}}}"
    );
    cluster.settle();
    CHECK(cluster.workload_of("team", "sample").empty() == is_new);
    const auto told = warnings(cluster, "InvalidSpec");
    REQUIRE_FALSE(told.empty());
    CHECK(told.front() == words);
}

TEST_CASE("a job that only a webhook would refuse waits and is told why", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    struct Row {
        const char* patch;
        const char* mended;
        const char* reason;
        const char* note;
    };
    const auto row = GENERATE(
        Row{"{'metadata':{'labels':{'kueue.x-k8s.io/max-exec-time-seconds':'soon'}}}",
            "{'metadata':{'labels':{'kueue.x-k8s.io/max-exec-time-seconds':'60'}}}",
            "InvalidSpec",
            "label kueue.x-k8s.io/max-exec-time-seconds: \"soon\" is not a number above 0"},
        Row{"{'metadata':{'annotations':{'kueue.x-k8s.io/job-min-parallelism':'2'}}}",
            "{'metadata':{'annotations':{'kueue.x-k8s.io/job-min-parallelism':'1'}}}",
            "InvalidSpec",
            "annotation kueue.x-k8s.io/job-min-parallelism: 2 is above the number of pods, 1"},
        Row{"{'spec':{'template':{'spec':{'priorityClassName':'gone'}}}}",
            "{'spec':{'template':{'spec':{'priorityClassName':null}}}}",
            "PriorityClassNotFound",
            "PriorityClass \"gone\" not found"}
    );
    cluster.put(job("sample", 2));
    cluster.merge(job_key("sample"), row.patch);
    if (GENERATE(true, false)) {
        cluster.merge(job_key("sample"), "{'spec':{'suspend':false}}");
    }
    while (cluster.deliver_next()) {
    }
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "sample"));
    CHECK(cluster.workload_of("team", "sample").empty());
    const auto told = warnings(cluster, row.reason);
    REQUIRE_FALSE(told.empty());
    CHECK(told.front() == row.note);
    cluster.merge(job_key("sample"), row.mended);
    cluster.settle();
    CHECK(is_running(cluster, "sample"));
}

TEST_CASE("a check's time to retry that has passed is not written", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(
        "{'kind':'AdmissionCheck','metadata':{'name':'prov'},'spec':{'controllerName':'x'},"
        "'status':{'conditions':[{'type':'Active','status':'True'}]}}"
    );
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "cq"},
        "{'spec':{'admissionChecksStrategy':{'admissionChecks':[{'name':'prov'}]}}}"
    );
    cluster.put(job("sample", 1));
    cluster.settle();
    const ObjectKey key = workload_key(cluster, "sample");
    REQUIRE(cluster.condition("team", key.name, "QuotaReserved") == "True/QuotaReserved");
    cluster.merge(
        {kind_of<api::LocalQueue>(), "team", "main"}, "{'spec':{'stopPolicy':'HoldAndDrain'}}"
    );
    cluster.settle();
    REQUIRE(cluster.condition("team", key.name, "QuotaReserved").starts_with("False/"));
    // The check's controller answers to the old reservation, too late.
    const std::string at = api::to_value(cluster.clock.now()).as_string();
    cluster.merge(
        key,
        "{'status':{'admissionChecks':[{'name':'prov','state':'Retry','message':'no capacity',"
        "'lastTransitionTime':'" +
            at + "','requeueAfterSeconds':60}]}}"
    );
    cluster.settle();
    CHECK_FALSE(cluster.at(key, {"status", "requeueState", "requeueAt"}).empty());
    const std::size_t before = cluster.writes.size();
    cluster.settle(std::chrono::minutes(2));
    CHECK(cluster.at(key, {"status", "requeueState", "requeueAt"}).empty());
    CHECK(cluster.writes.size() <= before + 5);
}

TEST_CASE("a job whose pods the API server would refuse says so", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("small", 3));
    cluster.merge(
        job_key("small"), "{'spec':{'template':{'spec':{'resources':{'requests':{'cpu':'1m'}}}}}}"
    );
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "small"));
    CHECK(cluster.controller().stores.of<api::Workload>().size() == 0);
    CHECK(has_event(
        cluster,
        "InvalidSpec",
        "podSets[main].template.spec.resources.requests[cpu]: Invalid value: \"1m\": must be "
        "greater "
        "than or equal to aggregate container requests of 3"
    ));
}

TEST_CASE("a job takes over the Workload that lost its owner", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 4)));
    const bool is_waiting = GENERATE(false, true);
    const bool with_restart = GENERATE(false, true);
    make_queues(cluster);
    if (is_waiting) {
        cluster.put(job("first", 4));
        cluster.settle();
    }
    cluster.put(job("sample", 2));
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "sample");
    const std::string uid = cluster.at(workload, {"metadata", "uid"});
    cluster.merge(workload, "{'metadata':{'ownerReferences':null}}");
    if (with_restart) {
        cluster.restart();
    }
    cluster.settle();
    CHECK(cluster.workload_of("team", "sample") == workload.name);
    CHECK(cluster.at(workload, {"metadata", "uid"}) == uid);
    CHECK(cluster.condition("team", workload.name, "Finished").empty());
    CHECK_FALSE(has_event(cluster, "Stopped", "Missing Workload"));
    CHECK(is_running(cluster, "sample") != is_waiting);
    if (is_waiting) {
        complete(cluster, "first");
        cluster.settle();
        CHECK(is_running(cluster, "sample"));
    }
}

TEST_CASE("a Workload without owner is finished when its job is deleted", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 4)));
    make_queues(cluster);
    cluster.put(job("sample", 4));
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "sample");
    cluster.merge(workload, "{'metadata':{'ownerReferences':null}}");
    cluster.remove(job_key("sample"));
    cluster.settle(std::chrono::seconds(10));
    CHECK(cluster.condition("team", workload.name, "Finished") == "True/OwnerNotFound");
}

TEST_CASE("a job gets a new Workload if one without owner was finished", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 4)));
    make_queues(cluster);
    cluster.put(job("sample", 2));
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "sample");
    const std::string uid = cluster.at(workload, {"metadata", "uid"});
    cluster.merge(workload, R"({'metadata':{'ownerReferences':null},'status':{'conditions':[
        {'type':'Finished','status':'True','reason':'OwnerNotFound','message':'gone',
         'lastTransitionTime':'2020-01-01T00:00:00Z'}]}})");
    cluster.settle();
    REQUIRE(cluster.find(workload) != nullptr);
    CHECK(cluster.at(workload, {"metadata", "uid"}) != uid);
    CHECK(is_running(cluster, "sample"));
}

TEST_CASE("a job reports another object's Workload under its name", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 4)));
    make_queues(cluster);
    cluster.put(job("sample", 2));
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "sample");
    cluster.merge(workload, R"({'metadata':{'ownerReferences':[{'apiVersion':'example.com/v1',
        'kind':'Thing','name':'t','uid':'t','controller':true}]}})");
    cluster.settle();
    const auto problems = warnings(cluster, "WorkloadNameConflict");
    REQUIRE_FALSE(problems.empty());
    CHECK(contains(problems.front(), workload.name));
    CHECK_FALSE(is_running(cluster, "sample"));
    cluster.remove(workload);
    cluster.settle(std::chrono::minutes(2));
    CHECK(is_running(cluster, "sample"));
}

}  // namespace sluice::controller
