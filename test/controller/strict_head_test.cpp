#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <chrono>
#include <string>

// Reasons written for the head of a StrictFIFO queue, which is tried again and again.
namespace sluice::controller {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string pod_set(const std::string& name, int cpu) {
    return "{'name':'" + name +
           "','count':1,'template':{'spec':{'containers':[{'name':'c','image':'i',"
           "'resources':{'requests':{'cpu':'" +
           std::to_string(cpu) + "'}}}]}}}";
}

std::string workload(const std::string& name, const std::string& pod_sets) {
    return "{'kind':'Workload','metadata':{'name':'" + name +
           "','namespace':'team'},'spec':{'queueName':'main','active':true,'podSets':[" + pod_sets +
           "]}}";
}

std::string workload(const std::string& name, int cpu) {
    return workload(name, pod_set("main", cpu));
}

std::string flavor(const std::string& name, int cpu) {
    return "{'name':'" + name + "','resources':[{'name':'cpu','nominalQuota':'" +
           std::to_string(cpu) + "'}]}";
}

/// Three seconds of cycles.
void run_for_a_while(MiniCluster& cluster) {
    for (int i = 0; i < 300; ++i) {
        while (cluster.tick()) {
        }
        cluster.clock.advance(std::chrono::milliseconds(10));
    }
}

std::ptrdiff_t writes_of_training(const MiniCluster& cluster) {
    return std::ranges::count_if(cluster.writes, [](const Write& write) {
        return write.object.name == "training";
    });
}

std::string conditions_of_training(const MiniCluster& cluster) {
    return cluster.at({kind_of<api::Workload>(), "team", "training"}, {"status", "conditions"});
}

}  // namespace

// Its pod sets have tried all of their flavors in different cycles, so that the reasons of two
// cycles in a row differ.
TEST_CASE("the reason of a try that leaves flavors over is not written", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    for (const char* name : {"f0", "f1", "f2"}) {
        cluster.put("{'kind':'ResourceFlavor','metadata':{'name':'" + std::string(name) + "'}}");
    }
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "cq"},
        "{'spec':{'queueingStrategy':'StrictFIFO','resourceGroups':[{'coveredResources':['cpu'],"
        "'flavors':[" +
            flavor("f0", 8) + "," + flavor("f1", 4) + "," + flavor("f2", 3) + "]}]}}"
    );
    cluster.put(workload("holder", 8));
    cluster.settle();
    REQUIRE(cluster.condition("team", "holder", "QuotaReserved") == "True/QuotaReserved");
    cluster.put(workload("training", pod_set("master", 2) + "," + pod_set("worker", 6)));
    run_for_a_while(cluster);
    CHECK(writes_of_training(cluster) <= 2);
    // The last try: the first pod set got the last flavor.
    CHECK_THAT(
        conditions_of_training(cluster),
        ContainsSubstring(
            "couldn't assign flavors to pod set worker: insufficient quota for cpu in flavor "
            "f1, previously considered podsets requests (0) + current podset request (6) > "
            "maximum capacity (4), insufficient quota for cpu in flavor f2, previously "
            "considered podsets requests (2) + current podset request (6) > maximum capacity "
            "(3), insufficient unused quota for cpu in flavor f0, 6 more needed"
        )
    );
}

TEST_CASE("a head that stays blocked is tried once a second in the end", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "cq"}, "{'spec':{'queueingStrategy':'StrictFIFO'}}"
    );
    cluster.put(workload("training", 9));
    run_for_a_while(cluster);
    const auto before = cluster.controller().state.cycle();
    CHECK(before >= 50);
    run_for_a_while(cluster);
    const auto cycles = cluster.controller().state.cycle() - before;
    CHECK(cycles >= 2);
    CHECK(cycles <= 4);
}

// It fits its first flavor until the head of another queue, which waits for quota that is lent, has
// its turn and keeps that. The next cycle goes on with its second flavor.
TEST_CASE(
    "a head that loses its first flavor in each cycle is told the reason of the last alone",
    "[controller]"
) {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put("{'kind':'ResourceFlavor','metadata':{'name':'reserved'}}");
    const auto spec = [](const std::string& flavors) {
        return "'spec':{'cohortName':'root','queueingStrategy':'StrictFIFO','namespaceSelector':{},"
               "'flavorFungibility':{'whenCanBorrow':'MayStopSearch','whenCanPreempt':"
               "'TryNextFlavor'},'resourceGroups':[{'coveredResources':['cpu'],'flavors':[" +
               flavors + "]}]}}";
    };
    cluster.put("{'kind':'ClusterQueue','metadata':{'name':'lender'}," + spec(flavor("spot", 6)));
    cluster.put(
        "{'kind':'LocalQueue','metadata':{'name':'lends','namespace':'team'},"
        "'spec':{'clusterQueue':'lender'}}"
    );
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "cq"},
        "{" + spec(flavor("spot", 0) + "," + flavor("reserved", 1))
    );
    cluster.put(workload("holder", 3));
    cluster.settle();
    REQUIRE(cluster.condition("team", "holder", "QuotaReserved") == "True/QuotaReserved");
    std::string lent = workload("lent", 4);
    lent.replace(lent.find("'main'"), 6, "'lends'");
    cluster.put(lent);
    cluster.settle();
    cluster.put(workload("training", 2));
    run_for_a_while(cluster);
    CHECK(writes_of_training(cluster) <= 2);
    CHECK_THAT(
        conditions_of_training(cluster),
        ContainsSubstring("insufficient quota for cpu in flavor reserved, previously")
    );
}

}  // namespace sluice::controller
