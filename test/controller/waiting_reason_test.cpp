#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::controller {
namespace {

std::string waiting_in(const std::string& queue) {
    return "{'kind':'Workload','metadata':{'name':'w','namespace':'team'},'spec':{'queueName':'" +
           queue +
           "','active':true,'podSets':[{'name':'main','count':1,'template':{'spec':{'containers':[{"
           "'name':'c','image':'i','resources':{'requests':{'cpu':'9'}}}]}}}]}}";
}

}  // namespace

TEST_CASE("without their gate reasons for waiting have the older names", "[controller]") {
    Settings settings;
    settings.gates.unadmitted_workloads_observability = false;
    MiniCluster cluster(1, {}, settings);
    make_queues(cluster);
    SECTION("what is wrong with the queue") {
        cluster.put(waiting_in("none"));
        cluster.settle();
        CHECK(cluster.condition("team", "w", "QuotaReserved") == "False/Inadmissible");
    }
    SECTION("what the scheduler says") {
        cluster.put(waiting_in("main"));
        cluster.settle();
        CHECK(cluster.condition("team", "w", "QuotaReserved") == "False/Pending");
    }
}

}  // namespace sluice::controller
