#include "api/meta/codec.hpp"
#include "controller/jobs/members/batch_job_view.hpp"
#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <string>

// What a batch/v1 Job says of its progress.
namespace sluice::controller {

TEST_CASE("indexes that are listed are counted once, below the limit", "[controller]") {
    constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
    CHECK(count_indexes({"1,3-5"}, 10) == 4);
    CHECK(count_indexes({"0-3", "2-4,9"}, 10) == 6);
    CHECK(count_indexes({"5-7,0-1", "0"}, 10) == 5);
    CHECK(count_indexes({"0-3", "4"}, 3) == 3);
    CHECK(count_indexes({"7"}, 3) == 0);
    CHECK(count_indexes({"", ""}, 3) == 0);
    CHECK(count_indexes({"0-2147483647", "0-2147483647"}, kMost) == kMost);
    CHECK(count_indexes({"0-3"}, 0) == 0);
    CHECK(count_indexes({"0-3"}, -1) == 0);
}

TEST_CASE("a list of indexes that cannot be read counts what can", "[controller]") {
    const auto* text = GENERATE("x", "-", "1-", "-1", "3-2", "1-x", " 1", "99999999999", ",,,");
    CAPTURE(text);
    CHECK(count_indexes({text}, 10) == 0);
    CHECK(count_indexes({std::string(text) + ",4"}, 10) == 1);
}

TEST_CASE("pods that have succeeded are ready before they are counted", "[controller]") {
    const auto* status = GENERATE(
        "{'ready':2}",
        "{'ready':1,'succeeded':1}",
        "{'ready':1,'uncountedTerminatedPods':{'succeeded':['a']}}",
        "{'succeeded':1,'uncountedTerminatedPods':{'succeeded':['a']}}",
        "{'uncountedTerminatedPods':{'succeeded':['a','b']}}"
    );
    CAPTURE(status);
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", 1));
    cluster.merge(job_key("sample"), "{'spec':{'parallelism':2,'completions':2}}");
    cluster.settle();
    cluster.merge(job_key("sample"), "{'status':" + std::string(status) + "}");
    cluster.settle();
    const auto& stores = cluster.controller().stores;
    const auto found = stores.of<api::Job>().find("team", "sample");
    REQUIRE(found);
    const Settings settings;
    CHECK(BatchJob(found, settings).are_pods_ready());
    auto failed = std::make_shared<api::Job>(*found);
    failed->status = {};
    failed->status.ready = 1;
    failed->status.uncounted_terminated_pods.emplace().failed = {"a"};
    CHECK_FALSE(BatchJob(failed, settings).are_pods_ready());
}

TEST_CASE("pods are ready by what the Job asks for, not by what was admitted", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", 1));
    cluster.merge(job_key("sample"), "{'spec':{'parallelism':3,'completions':3}}");
    cluster.settle();
    const auto& jobs = cluster.controller().stores.of<api::Job>();
    const Settings settings;
    SECTION("an elastic job that shrinks stays ready") {
        cluster.merge(
            job_key("sample"), "{'spec':{'parallelism':2,'completions':2},'status':{'ready':2}}"
        );
        while (cluster.deliver_next()) {
        }
        CHECK(BatchJob(jobs.find("team", "sample"), settings).are_pods_ready());
    }
    SECTION("a pod that is done does not stand for another") {
        cluster.merge(job_key("sample"), "{'status':{'succeeded':1,'ready':1}}");
        while (cluster.deliver_next()) {
        }
        CHECK_FALSE(BatchJob(jobs.find("team", "sample"), settings).are_pods_ready());
    }
}

TEST_CASE("quota of a Job that was admitted in part falls with the pods it needs", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("small", 1));
    cluster.settle();
    cluster.put(job("big", 1));
    cluster.merge(
        job_key("big"),
        "{'metadata':{'annotations':{'kueue.x-k8s.io/job-min-parallelism':'1'}},"
        "'spec':{'parallelism':9,'completions':9,'completionMode':'Indexed'}}"
    );
    cluster.settle();
    REQUIRE(is_running(cluster, "big"));
    REQUIRE(cluster.at(job_key("big"), {"spec", "parallelism"}) == "3");
    const ObjectKey queue{kind_of<api::ClusterQueue>(), "", "cq"};
    const auto held = [&] {
        const json::Value* flavors = cluster.find(queue)->find_path({"status", "flavorsUsage"});
        const json::Value& resources = *flavors->as_array()[0].find("resources");
        return std::string(resources.as_array()[0].string_at("total"));
    };
    const auto complete_up_to = [&](int last) {
        cluster.merge(
            job_key("big"),
            fmt::format("{{'status':{{'succeeded':{},'completedIndexes':'0-{}'}}}}", last + 1, last)
        );
        cluster.settle();
    };
    CHECK(held() == "4");
    complete_up_to(5);  // three are left
    CHECK(held() == "4");
    complete_up_to(6);
    CHECK(held() == "3");
    complete_up_to(7);
    CHECK(held() == "2");
    // Evicted, it comes back with what is left of all its pods.
    cluster.merge(workload_key(cluster, "big"), "{'spec':{'active':false}}");
    cluster.settle();
    CHECK(held() == "1");
    CHECK(cluster.at(job_key("big"), {"spec", "parallelism"}) == "9");
    cluster.merge(workload_key(cluster, "big"), "{'spec':{'active':true}}");
    cluster.settle();
    CHECK(is_running(cluster, "big"));
    CHECK(held() == "2");
}

TEST_CASE("pods beyond the completions are not reclaimed with the others", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", 1));
    cluster.merge(job_key("sample"), "{'spec':{'parallelism':9,'completions':4}}");
    cluster.settle();
    REQUIRE(is_running(cluster, "sample"));
    cluster.merge(job_key("sample"), "{'status':{'succeeded':1}}");
    cluster.settle();
    CHECK(
        cluster.at(workload_key(cluster, "sample"), {"status", "reclaimablePods"}) ==
        R"([{"name":"main","count":1}])"
    );
}

}  // namespace sluice::controller
