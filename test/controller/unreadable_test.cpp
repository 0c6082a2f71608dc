#include "controller/mini_cluster.hpp"
#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

// Objects that the API server has and that cannot be decoded: what they hold is not given away.
namespace sluice::controller {
namespace {

constexpr std::string_view kSpoiled = "{'spec':{'podSets':[{'name':'main','count':'many'}]}}";

std::string active_of_queue(const MiniCluster& cluster, std::string_view queue = "cq") {
    const ObjectKey key{kind_of<api::ClusterQueue>(), "", std::string(queue)};
    return cluster.at(key, {"status", "conditions"});
}

bool says(const MiniCluster& cluster, std::string_view queue, std::string_view text) {
    return active_of_queue(cluster, queue).find(text) != std::string::npos;
}

/// A ClusterQueue of cohort `teams` with a LocalQueue of its name in namespace `team`.
void make_member(MiniCluster& cluster, const std::string& name, int cpu) {
    cluster.put(fmt::format(
        "{{'apiVersion':'kueue.x-k8s.io/v1beta2','kind':'ClusterQueue','metadata':{{'name':'{0}'}},"
        "'spec':{{'cohortName':'teams','namespaceSelector':{{}},'queueingStrategy':'BestEffortFIFO'"
        ","
        "'stopPolicy':'None','preemption':{{'withinClusterQueue':'Never','reclaimWithinCohort':'"
        "Never'}},'resourceGroups':[{{"
        "'coveredResources':['cpu'],'flavors':[{{'name':'spot','resources':[{{'name':'cpu',"
        "'nominalQuota':'{1}'}}]}}]}}]}}}}",
        name,
        cpu
    ));
    cluster.put(fmt::format(
        "{{'apiVersion':'kueue.x-k8s.io/v1beta2','kind':'LocalQueue','metadata':{{'name':'{0}',"
        "'namespace':'team'}},'spec':{{'clusterQueue':'{0}','stopPolicy':'None'}}}}",
        name
    ));
}

void put_job(MiniCluster& cluster, std::string_view name, int cpu, std::string_view queue) {
    std::string made = job(name, cpu);
    constexpr std::string_view kQueue = "queue-name':'main'";
    made.replace(made.find(kQueue), kQueue.size(), fmt::format("queue-name':'{}'", queue));
    cluster.put(made);
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

TEST_CASE("a waiting workload that cannot be read any more is not admitted", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("first", 4));
    cluster.settle();
    cluster.put(job("second", 4));
    cluster.settle();
    const ObjectKey second = workload_key(cluster, "second");
    const std::string pod_sets = cluster.at(second, {"spec", "podSets"});
    cluster.merge(second, kSpoiled);
    cluster.put(job("third", 4));
    complete(cluster, "first");
    cluster.settle();
    CHECK_FALSE(cluster.condition("team", second.name, "QuotaReserved").starts_with("True"));
    CHECK(is_running(cluster, "third"));
    SECTION("until it can be read again") {
        cluster.merge(second, "{'spec':{'podSets':" + pod_sets + "}}");
        complete(cluster, "third");
        cluster.settle();
        CHECK(is_running(cluster, "second"));
    }
}

TEST_CASE(
    "a workload that is spoiled while its admission is on its way is not admitted", "[controller]"
) {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("first", 4));
    bool is_spoiled = false;
    cluster.fault = [&](const Write& write) -> std::optional<Error> {
        const bool admits = write.verb == Verb::ApplyStatus;
        if (admits && !is_spoiled) {
            is_spoiled = true;
            cluster.merge(write.object, kSpoiled);
            return Error{ErrorCode::Timeout, "no answer", {}};
        }
        return std::nullopt;
    };
    cluster.settle();
    REQUIRE(is_spoiled);
    const ObjectKey workload = workload_key(cluster, "first");
    CHECK_FALSE(cluster.condition("team", workload.name, "QuotaReserved").starts_with("True"));
    cluster.put(job("second", 4));
    cluster.settle();
    CHECK(is_running(cluster, "second"));
}

TEST_CASE("a finished workload that cannot be read holds nothing back", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("first", 4));
    cluster.settle();
    complete(cluster, "first");
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "first");
    REQUIRE(cluster.condition("team", workload.name, "Finished").starts_with("True"));
    cluster.merge(workload, kSpoiled);
    cluster.restart();
    cluster.put(job("second", 4));
    cluster.settle();
    CHECK(is_running(cluster, "second"));
    CHECK(cluster.findings.empty());
}

TEST_CASE(
    "what a queue that was never readable has borrowed is given to no other", "[controller]"
) {
    MiniCluster cluster;
    make_queues(cluster);
    make_member(cluster, "lender", 4);
    make_member(cluster, "borrower", 0);
    put_job(cluster, "borrowing", 4, "borrower");
    cluster.settle();
    REQUIRE(is_running(cluster, "borrowing"));
    const ObjectKey borrower{kind_of<api::ClusterQueue>(), "", "borrower"};
    SECTION("when it names its cohort, in the tree of that") {
        cluster.merge(borrower, "{'spec':{'resourceGroups':'many'}}");
        cluster.restart();
        put_job(cluster, "elsewhere", 1, "main");
        cluster.settle();
        CHECK(is_running(cluster, "elsewhere"));
    }
    SECTION("when not even that can be read, in every tree") {
        cluster.merge(borrower, "{'spec':{'cohortName':['teams']}}");
        cluster.restart();
        put_job(cluster, "elsewhere", 1, "main");
        cluster.settle();
        CHECK_FALSE(is_running(cluster, "elsewhere"));
        CHECK(says(cluster, "cq", "ClusterQueue borrower cannot be read"));
    }
    put_job(cluster, "owning", 4, "lender");
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "owning"));
    CHECK(says(cluster, "lender", "InconsistentState"));
    CHECK(says(cluster, "lender", "ClusterQueue borrower cannot be read"));
}

TEST_CASE("a cohort that was never readable holds back its own tree", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    make_member(cluster, "member", 4);
    cluster.put(
        "{'apiVersion':'kueue.x-k8s.io/v1beta2','kind':'Cohort','metadata':{'name':'teams'},"
        "'spec':{'parentName':'org'}}"
    );
    cluster.settle();
    cluster.merge({kind_of<api::Cohort>(), "", "teams"}, "{'spec':{'resourceGroups':'many'}}");
    cluster.restart();
    put_job(cluster, "within", 1, "member");
    put_job(cluster, "elsewhere", 1, "main");
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "within"));
    CHECK(says(cluster, "member", "Cohort teams cannot be read"));
    CHECK(is_running(cluster, "elsewhere"));
}

TEST_CASE("an object that cannot be read is not written", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("first", 4, ",'kueue.x-k8s.io/max-exec-time-seconds':'60'"));
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "first");
    cluster.merge(workload, kSpoiled);
    int attempts = 0;
    cluster.fault = [&](const Write& write) -> std::optional<Error> {
        attempts += write.object == workload ? 1 : 0;
        return std::nullopt;
    };
    cluster.settle(std::chrono::hours(1));
    CHECK(attempts == 0);
}

}  // namespace sluice::controller
