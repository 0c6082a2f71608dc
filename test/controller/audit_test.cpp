#include "controller/mini_cluster.hpp"
#include "controller/process/metrics/metrics_reporter.hpp"
#include "engine/state/queues_editor.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

// A state that only a bug could make: what the scheduler does about it.
namespace sluice::controller {
namespace {

void put_queue(MiniCluster& cluster, const std::string& name, const std::string& cohort) {
    cluster.put(
        "{'kind':'ClusterQueue','metadata':{'name':'" + name + "'},'spec':{'cohortName':'" +
        cohort +
        "','namespaceSelector':{},'queueingStrategy':'BestEffortFIFO','stopPolicy':'None',"
        "'resourceGroups':[{'coveredResources':['cpu'],'flavors':[{'name':'spot','resources':"
        "[{'name':'cpu','nominalQuota':'4'}]}]}]}}"
    );
    cluster.put(
        "{'kind':'LocalQueue','metadata':{'name':'" + name +
        "','namespace':'team'},'spec':{'clusterQueue':'" + name + "','stopPolicy':'None'}}"
    );
}

void put_workload(MiniCluster& cluster, const std::string& name, const std::string& queue) {
    cluster.put(
        "{'kind':'Workload','metadata':{'name':'" + name +
        "','namespace':'team'},'spec':{'queueName':'" + queue +
        "','active':true,'podSets':[{'name':'main','count':1,'template':{'spec':{'containers':"
        "[{'name':'c','image':'i','resources':{'requests':{'cpu':'1'}}}]}}}]}}"
    );
}

/// Two ClusterQueues in one cohort, `a` with an admitted workload `a1`, and one alone.
void make_queues(MiniCluster& cluster) {
    cluster.put("{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'team'}}");
    cluster.put("{'kind':'ResourceFlavor','metadata':{'name':'spot'}}");
    put_queue(cluster, "a", "org");
    put_queue(cluster, "b", "org");
    put_queue(cluster, "alone", "");
    put_workload(cluster, "a1", "a");
    cluster.settle();
    REQUIRE(cluster.condition("team", "a1", "Admitted") == "True/Admitted");
}

/// Puts a workload that holds quota into a queue, where it must not be, or takes it out again.
class Damage {
  public:
    Damage(MiniCluster& cluster, const std::string& workload)
        : state_(cluster.controller().state),
          queues_(state_, cluster.clock.now()),
          workload_(state_.find_workload("team/" + workload)) {
        queues_.push(workload_);
    }
    void repair() { queues_.take(workload_); }

  private:
    engine::State& state_;
    engine::QueuesEditor queues_;
    engine::WorkloadIndex workload_;
};

void pass_a_minute(MiniCluster& cluster) {
    cluster.clock.advance(std::chrono::minutes(1));
    cluster.settle();
}

std::string conditions_of(const MiniCluster& cluster, const std::string& queue) {
    return cluster.at({kind_of<api::ClusterQueue>(), "", queue}, {"status", "conditions"});
}

bool is_held_back(const MiniCluster& cluster, const std::string& queue) {
    return conditions_of(cluster, queue).find("InconsistentState") != std::string::npos;
}

bool is_admitted(const MiniCluster& cluster, const std::string& workload) {
    return cluster.condition("team", workload, "Admitted") == "True/Admitted";
}

}  // namespace

TEST_CASE(
    "an inconsistent tree admits nothing and says so, others go on, and it recovers", "[controller]"
) {
    MiniCluster cluster;
    make_queues(cluster);
    MetricsReporter metrics(
        {cluster.controller().stores, cluster.controller().translator, cluster.controller().state}
    );
    Damage damage(cluster, "a1");
    pass_a_minute(cluster);
    CHECK(is_held_back(cluster, "a"));
    CHECK(is_held_back(cluster, "b"));
    CHECK_FALSE(is_held_back(cluster, "alone"));
    CHECK(conditions_of(cluster, "b").find("may not queue: team/a1") != std::string::npos);
    REQUIRE(cluster.findings.size() == 1);
    metrics.observe_audit(cluster.findings);
    CHECK(
        metrics.print().find(R"(sluice_audit_findings{replica_role="standalone",root="org"} 1)") !=
        std::string::npos
    );

    put_workload(cluster, "b1", "b");
    put_workload(cluster, "alone1", "alone");
    pass_a_minute(cluster);
    CHECK_FALSE(is_admitted(cluster, "b1"));
    CHECK(cluster.condition("team", "b1", "QuotaReserved") == "False/Suspended");
    CHECK(is_admitted(cluster, "alone1"));
    CHECK(is_admitted(cluster, "a1"));  // what runs goes on

    damage.repair();
    pass_a_minute(cluster);
    CHECK(cluster.findings.empty());
    metrics.observe_audit(cluster.findings);
    CHECK(metrics.print().find("sluice_audit_findings{") == std::string::npos);
    CHECK_FALSE(is_held_back(cluster, "a"));
    CHECK_FALSE(is_held_back(cluster, "b"));
    CHECK(is_admitted(cluster, "b1"));
}

TEST_CASE("what ends in an inconsistent tree ends, and a restart recovers it", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    put_workload(cluster, "b1", "b");
    cluster.settle();
    REQUIRE(is_admitted(cluster, "b1"));
    const Damage damage(cluster, "a1");
    pass_a_minute(cluster);
    REQUIRE(is_held_back(cluster, "b"));
    cluster.merge(
        {kind_of<api::Workload>(), "team", "b1"},
        "{'status':{'conditions':[{'type':'Finished','status':'True','reason':'Succeeded'}]}}"
    );
    put_workload(cluster, "b2", "b");
    cluster.settle();
    const engine::State& state = cluster.controller().state;
    CHECK(state.cluster_queue(state.find_cluster_queue("b")).holders.empty());
    CHECK_FALSE(is_admitted(cluster, "b2"));

    cluster.restart();
    cluster.settle();
    CHECK_FALSE(is_held_back(cluster, "a"));
    CHECK_FALSE(is_held_back(cluster, "b"));
    CHECK(is_admitted(cluster, "b2"));
}

TEST_CASE("a queue that joins an inconsistent tree is held back at once", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    const Damage damage(cluster, "a1");
    pass_a_minute(cluster);
    cluster.merge({kind_of<api::ClusterQueue>(), "", "alone"}, "{'spec':{'cohortName':'org'}}");
    put_workload(cluster, "alone1", "alone");
    cluster.settle();
    CHECK(is_held_back(cluster, "alone"));
    CHECK_FALSE(is_admitted(cluster, "alone1"));
    cluster.merge({kind_of<api::ClusterQueue>(), "", "alone"}, "{'spec':{'cohortName':''}}");
    cluster.settle();
    CHECK_FALSE(is_held_back(cluster, "alone"));
    CHECK(is_admitted(cluster, "alone1"));
}

}  // namespace sluice::controller
