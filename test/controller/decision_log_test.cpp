#include "controller/process/writes/decision_log.hpp"

#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <vector>

// What an operator reads in the log of the controller's decisions.
namespace sluice::controller {
namespace {

/// The lines of all accepted writes. Example: workload admitted|workload=team/a|clusterQueue=cq
std::vector<std::string> lines_of(const MiniCluster& cluster) {
    std::vector<std::string> texts;
    for (const Write& write : cluster.writes) {
        for (const LogLine& line : decision_lines(write)) {
            std::string text(line.phrase);
            for (const log::Field& field : line.fields) {
                text += "|" + std::string(field.key) + "=" + field.value;
            }
            texts.push_back(std::move(text));
        }
    }
    return texts;
}

std::string workload_name(const MiniCluster& cluster, std::string_view job) {
    return to_string(workload_key(cluster, job));
}

}  // namespace

TEST_CASE("the log has one line for an admission, with queue and flavors", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", 2));
    cluster.settle();
    cluster.put(job("too-large", 9));
    cluster.settle();
    CHECK(
        lines_of(cluster) ==
        std::vector{
            "workload admitted|workload=" + workload_name(cluster, "sample") +
            "|clusterQueue=cq|flavors=spot|queuedSeconds=0"
        }
    );
}

TEST_CASE("a reservation that waits for its checks has a line of its own", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(
        "{'kind':'AdmissionCheck','metadata':{'name':'budget'},"
        "'spec':{'controllerName':'else'},"
        "'status':{'conditions':[{'type':'Active','status':'True','reason':'Active'}]}}"
    );
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "cq"},
        "{'spec':{'admissionChecksStrategy':{'admissionChecks':[{'name':'budget'}]}}}"
    );
    const Time start = cluster.clock.now();
    cluster.put(job("sample", 2));
    cluster.settle();
    const std::string name = workload_name(cluster, "sample");
    const std::string rest = "|workload=" + name + "|clusterQueue=cq|flavors=spot|queuedSeconds=";
    CHECK(lines_of(cluster) == std::vector{"quota reserved" + rest + "0"});
    cluster.clock.advance(std::chrono::seconds(30) - (cluster.clock.now() - start));
    cluster.merge(
        workload_key(cluster, "sample"),
        "{'status':{'admissionChecks':[{'name':'budget','state':'Ready','message':'',"
        "'lastTransitionTime':'2020-01-01T00:00:00Z'}]}}"
    );
    cluster.settle();
    CHECK(
        lines_of(cluster) ==
        std::vector{"quota reserved" + rest + "0", "workload admitted" + rest + "30"}
    );
}

TEST_CASE("the log names the preempted workload, the reason and the preemptor", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put("{'kind':'WorkloadPriorityClass','metadata':{'name':'high'},'value':1000}");
    cluster.put(job("victim", 3));
    cluster.settle();
    cluster.put(job("urgent", 3, ",'kueue.x-k8s.io/priority-class':'high'"));
    cluster.settle();
    const std::vector<std::string> lines = lines_of(cluster);
    REQUIRE(lines.size() >= 2);
    CHECK(
        lines[1] ==
        "workload preempted|workload=" + workload_name(cluster, "victim") +
            "|clusterQueue=cq|reason=InClusterQueue|preemptorClusterQueue=cq|preemptor=" +
            workload_name(cluster, "urgent")
    );
}

TEST_CASE("the log says why a workload was evicted", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", 2));
    cluster.settle();
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "cq"}, "{'spec':{'stopPolicy':'HoldAndDrain'}}"
    );
    cluster.settle();
    const std::vector<std::string> lines = lines_of(cluster);
    REQUIRE(lines.size() == 2);
    CHECK(
        lines[1] == "workload evicted|workload=" + workload_name(cluster, "sample") +
                        "|clusterQueue=cq|reason=ClusterQueueStopped|message=The ClusterQueue is "
                        "stopped"
    );
}

}  // namespace sluice::controller
