#include "controller/mini_cluster.hpp"
#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

// Objects that the API server has and that cannot be decoded: what they hold is not given away.
namespace sluice::controller {
namespace {

constexpr std::string_view kSpoiled = "{'spec':{'podSets':[{'name':'main','count':'many'}]}}";

std::string active_of_queue(const MiniCluster& cluster) {
    const ObjectKey key{kind_of<api::ClusterQueue>(), "", "cq"};
    const std::string conditions = cluster.at(key, {"status", "conditions"});
    return conditions;
}

}  // namespace

TEST_CASE("an admission that cannot be read is given to no other", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("first", 4));
    cluster.settle();
    REQUIRE(is_running(cluster, "first"));
    const ObjectKey workload = workload_key(cluster, "first");
    const std::string pod_sets = cluster.at(workload, {"spec", "podSets"});
    cluster.merge(workload, kSpoiled);
    SECTION("what was read before still counts") {
        cluster.put(job("second", 4));
        cluster.settle();
        CHECK(is_running(cluster, "first"));
        CHECK_FALSE(is_running(cluster, "second"));
        CHECK(active_of_queue(cluster).find("InconsistentState") == std::string::npos);
    }
    SECTION("after a restart nothing is admitted in its tree, and the queue says why") {
        cluster.restart();
        cluster.put(job("second", 1));
        cluster.settle();
        CHECK(is_running(cluster, "first"));
        CHECK_FALSE(is_running(cluster, "second"));
        const std::string told = active_of_queue(cluster);
        CHECK(told.find("InconsistentState") != std::string::npos);
        CHECK(told.find("Workload team/" + workload.name) != std::string::npos);
        CHECK(told.find("count") != std::string::npos);
        CHECK(cluster.findings.size() == 1);
        SECTION("until it can be read again") {
            std::string mended = "{'spec':{'podSets':" + pod_sets + "}}";
            cluster.merge(workload, mended);
            cluster.settle();
            CHECK(active_of_queue(cluster).find("InconsistentState") == std::string::npos);
            CHECK_FALSE(is_running(cluster, "second"));
            CHECK(is_running(cluster, "first"));
        }
    }
}

}  // namespace sluice::controller
