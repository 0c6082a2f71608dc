#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <chrono>
#include <string>
#include <utility>

// Jobs that name no queue and that no webhook has seen.
namespace sluice::controller {
namespace {

constexpr const char* kDefaultQueue =
    "{'kind':'LocalQueue','metadata':{'name':'default','namespace':'team'},'spec':{'clusterQueue':"
    "'cq','stopPolicy':'None'}}";

std::string plain_job(const std::string& more_metadata = "", bool suspended = false) {
    return "{'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'sample','namespace':'team'" +
           more_metadata +
           "},'spec':{'parallelism':1,'completions':1,'suspend':" + (suspended ? "true" : "false") +
           ",'template':{'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'i',"
           "'resources':{'requests':{'cpu':'1'}}}]}}}}";
}

std::string queue_of(const MiniCluster& cluster) {
    return cluster.at(job_key("sample"), {"metadata", "labels", "kueue.x-k8s.io/queue-name"});
}

}  // namespace

TEST_CASE("a job that missed the default queue gets it and waits its turn", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const bool was_suspended = GENERATE(false, true);
    make_queues(cluster);
    cluster.put(kDefaultQueue);
    cluster.put(job("first", 4));
    cluster.settle();
    cluster.clock.advance(std::chrono::seconds(10));
    cluster.put(plain_job("", was_suspended));
    cluster.settle();
    CHECK(queue_of(cluster) == "default");
    CHECK_FALSE(is_running(cluster, "sample"));
    complete(cluster, "first");
    cluster.settle();
    CHECK(is_running(cluster, "sample"));
}

TEST_CASE("a job that the default queue is not for is left alone", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    SECTION("it is older than the queue") {
        cluster.put(plain_job());
        cluster.settle();
        cluster.clock.advance(std::chrono::seconds(10));
        cluster.put(kDefaultQueue);
        cluster.settle();
    }
    SECTION("its user has changed it since") {
        cluster.put(plain_job("", true));
        cluster.settle();
        cluster.clock.advance(std::chrono::seconds(10));
        cluster.put(kDefaultQueue);
        cluster.settle();
        CHECK(queue_of(cluster).empty());
        cluster.merge(job_key("sample"), "{'spec':{'suspend':false}}");
        cluster.settle();
    }
    SECTION("the queue is stopped") {
        cluster.put(kDefaultQueue);
        cluster.merge(
            {kind_of<api::LocalQueue>(), "team", "default"}, "{'spec':{'stopPolicy':'Hold'}}"
        );
        cluster.settle();
        cluster.clock.advance(std::chrono::seconds(10));
        cluster.put(plain_job());
        cluster.settle();
    }
    CHECK(queue_of(cluster).empty());
    CHECK(is_running(cluster, "sample"));
}

}  // namespace sluice::controller
