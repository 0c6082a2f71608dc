// Topologies are written into admissions, and what has happened to the workload since counts.
#include "controller/queued_jobs.hpp"
#include "engine/engine.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

namespace sluice::controller {
namespace {

const ObjectKey kHolder{kind_of<api::Workload>(), "team", "holder"};

void put_node(MiniCluster& cluster, const std::string& name) {
    cluster.put(
        "{'kind':'Node','metadata':{'name':'" + name + "','labels':{'rack':'a','tier':'spot'," +
        "'kubernetes.io/hostname':'" + name +
        "'}},'spec':{},'status':{'allocatable':{'cpu':'4','pods':'10'},"
        "'conditions':[{'type':'Ready','status':'True'}]}}"
    );
}

/// A cluster of two nodes, on the first of which a workload runs.
struct PlacedHolder {
    MiniCluster cluster;

    PlacedHolder() {
        make_queues(cluster);
        cluster.put(
            "{'kind':'Topology','metadata':{'name':'t'},'spec':{'levels':["
            "{'nodeLabel':'rack'},{'nodeLabel':'kubernetes.io/hostname'}]}}"
        );
        cluster.merge(
            {kind_of<api::ResourceFlavor>(), "", "spot"}, "{'spec':{'topologyName':'t'}}"
        );
        put_node(cluster, "n1");
        cluster.settle();
        cluster.put(workload("holder", 2, 0));
        cluster.settle();
        REQUIRE(nodes() == "n1");
        put_node(cluster, "n2");
        cluster.settle();
    }

    static std::string workload(const std::string& name, int cpu, int priority) {
        return "{'kind':'Workload','metadata':{'name':'" + name +
               "','namespace':'team'},'spec':{'queueName':'main','active':true,'priority':" +
               std::to_string(priority) +
               ",'podSets':[{'name':'main','count':1,'topologyRequest':{'required':'rack'},"
               "'template':{'spec':{'containers':[{'name':'c','image':'i',"
               "'resources':{'requests':{'cpu':'" +
               std::to_string(cpu) + "'}}}]}}}]}}";
    }
    /// The nodes that the holder's admission names.
    std::string nodes() const {
        const std::string assigned = cluster.at(kHolder, {"status", "admission"});
        std::string found;
        for (const std::string name : {"n1", "n2"}) {
            if (assigned.find("\"" + name + "\"") != std::string::npos) {
                found += name;
            }
        }
        return found;
    }
    void fail_first_node() {
        cluster.remove({kind_of<api::Node>(), "", "n1"});
        cluster.merge(kHolder, "{'status':{'unhealthyNodes':[{'name':'n1'}]}}");
    }
    void deliver_all() {
        while (cluster.deliver_next()) {
        }
    }
    /// Decides on the holder's second pass, and does not tell the applier.
    engine::CycleResult decide() {
        fail_first_node();
        deliver_all();
        auto& c = cluster.controller();
        cluster.clock.advance(std::chrono::seconds(1));
        engine::CycleResult result = engine::run_cycle(c.state, cluster.clock.now());
        REQUIRE(result.second_passes.size() == 1);
        return result;
    }
};

}  // namespace

TEST_CASE("a workload whose node failed gets another", "[controller]") {
    PlacedHolder c;
    c.fail_first_node();
    c.cluster.settle();
    CHECK(c.nodes() == "n2");
    CHECK(c.cluster.condition("team", "holder", "Admitted") == "True/Admitted");
}

TEST_CASE("a refused topology is written later", "[controller]") {
    PlacedHolder c;
    int refused = 0;
    c.cluster.fault = [&refused](const Write& write) -> std::optional<Error> {
        if (write.object.name != "holder" || ++refused > 2) {
            return std::nullopt;
        }
        return Error{ErrorCode::Invalid, "no", {}};
    };
    c.fail_first_node();
    c.cluster.settle(std::chrono::seconds(10));
    CHECK(refused > 2);
    CHECK(c.nodes() == "n2");
}

TEST_CASE("a topology is not written into a workload that was evicted since", "[controller]") {
    PlacedHolder c;
    const engine::CycleResult result = c.decide();
    c.cluster.merge(
        kHolder,
        "{'status':{'conditions':[{'type':'QuotaReserved','status':'True','reason':'QuotaReserved',"
        "'message':'','lastTransitionTime':'2020-01-01T00:00:00Z'},{'type':'Evicted',"
        "'status':'True','reason':'Preempted','message':'','lastTransitionTime':"
        "'2020-01-01T00:00:00Z'}]}}"
    );
    c.deliver_all();
    c.cluster.controller().applier.apply(result);
    CHECK(c.cluster.rows() == 0);
    CHECK(c.cluster.condition("team", "holder", "Evicted") == "True/Preempted");
}

TEST_CASE("a victim is evicted though a topology for it was outdated", "[controller]") {
    PlacedHolder c;
    const engine::CycleResult result = c.decide();
    c.cluster.put(PlacedHolder::workload("urgent", 4, 9));
    c.deliver_all();
    auto& controller = c.cluster.controller();
    const engine::CycleResult next = engine::run_cycle(controller.state, c.cluster.clock.now());
    REQUIRE(next.preempted.size() == 1);
    c.cluster.merge(kHolder, "{'metadata':{'generation':7}}");
    c.deliver_all();
    controller.applier.apply(result);
    controller.applier.apply(next);
    c.cluster.settle();
    CHECK(c.cluster.condition("team", "holder", "Evicted") == "True/Preempted");
}

}  // namespace sluice::controller
