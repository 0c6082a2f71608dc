// Names that users invent are forgotten with what has them. Each event is followed by an audit,
// which counts what the names of LocalQueues and resources are kept for.
#include "engine/audited.hpp"
#include "engine/engine.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

namespace sluice::engine {
namespace {

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};

struct Cluster {
    State state{Options{}};

    Cluster() {
        tell(FlavorChanged{{.name = "f"}});
        tell(ClusterQueueChanged{queue("cpu")});
        tell(LocalQueueChanged{{.ns = "ns", .name = "lq", .cluster_queue = "cq"}});
    }
    void tell(const Event& event) { apply_audited(state, event, kNow); }
    /// Covers cpu on flavor "f" and another resource on none.
    static ClusterQueue queue(const std::string& other) {
        ClusterQueue made;
        made.name = "cq";
        made.resource_groups = {
            {.covered_resources = {"cpu"},
             .flavors = {{.flavor = "f", .quotas = {{.nominal = Amount(1)}}}}}
        };
        if (other != "cpu") {
            made.resource_groups.push_back({.covered_resources = {other}, .flavors = {}});
        }
        return made;
    }
    static Workload make(const std::string& queue, const std::string& resource) {
        Workload made;
        made.ns = "ns";
        made.name = "w";
        made.uid = "w";
        made.local_queue = queue;
        made.queue_order = kNow;
        made.pod_sets = {{.name = "main", .requests = {{.resource = resource, .amount = Amount(1)}}}
        };
        return made;
    }
    bool knows_queue(const std::string& name) const {
        return state.find_local_queue("ns/" + name).is_valid();
    }
};

}  // namespace

TEST_CASE("a LocalQueue that does not exist is known as long as it is named", "[engine][names]") {
    Cluster c;
    c.tell(WorkloadChanged{Cluster::make("invented", "cpu")});
    CHECK(c.knows_queue("invented"));
    SECTION("until its workload is deleted") {
        c.tell(WorkloadDeleted{.ns = "ns", .name = "w"});
    }
    SECTION("until its workload names another one") {
        c.tell(WorkloadChanged{Cluster::make("lq", "cpu")});
    }
    SECTION("until it comes and goes, and nothing names it") {
        c.tell(LocalQueueChanged{{.ns = "ns", .name = "invented", .cluster_queue = "cq"}});
        c.tell(WorkloadDeleted{.ns = "ns", .name = "w"});
        CHECK(c.knows_queue("invented"));
        c.tell(LocalQueueDeleted{.ns = "ns", .name = "invented"});
    }
    SECTION("until its workload follows it") {
        c.tell(LocalQueueChanged{{.ns = "ns", .name = "invented", .cluster_queue = "cq"}});
        c.tell(LocalQueueDeleted{.ns = "ns", .name = "invented"});
        CHECK(c.knows_queue("invented"));
        c.tell(WorkloadDeleted{.ns = "ns", .name = "w"});
    }
    CHECK_FALSE(c.knows_queue("invented"));
    CHECK(c.knows_queue("lq"));
}

TEST_CASE("a LocalQueue in the place of a forgotten one serves its own workloads", "[engine]") {
    Cluster c;
    c.tell(WorkloadChanged{Cluster::make("invented", "cpu")});
    c.tell(WorkloadDeleted{.ns = "ns", .name = "w"});
    c.tell(LocalQueueChanged{{.ns = "ns", .name = "new", .cluster_queue = "cq"}});
    c.tell(WorkloadChanged{Cluster::make("invented", "cpu")});
    CHECK(run_cycle_audited(c.state, kNow).cycle == 0);
    c.tell(WorkloadChanged{Cluster::make("new", "cpu")});
    CHECK(run_cycle_audited(c.state, kNow).admitted.size() == 1);
}

TEST_CASE("resources are known as long as something names them", "[engine][names]") {
    Cluster c;
    SECTION("podSets, also those that several workloads share") {
        c.tell(WorkloadChanged{Cluster::make("lq", "invented")});
        auto other = Cluster::make("lq", "invented");
        other.name = "other";
        other.uid = "other";
        c.tell(WorkloadChanged{other});
        CHECK(run_cycle_audited(c.state, kNow).admitted.empty());
        c.tell(WorkloadChanged{Cluster::make("lq", "cpu")});
        c.tell(WorkloadDeleted{.ns = "ns", .name = "other"});
    }
    SECTION("pod shapes") {
        c.tell(PodShapeChanged{{.id = 1, .requests_topology = true, .resources = {"one"}}});
        c.tell(PodShapeChanged{{.id = 1, .requests_topology = true, .resources = {"two"}}});
        c.tell(PodShapeDeleted{1});
        c.tell(PodShapeDeleted{1});
    }
    SECTION("resource groups, also without a flavor") {
        c.tell(ClusterQueueChanged{Cluster::queue("one")});
        c.tell(ClusterQueueChanged{Cluster::queue("two")});
        c.tell(ClusterQueueDeleted{"cq"});
        c.tell(ClusterQueueChanged{Cluster::queue("cpu")});
    }
    // Another resource gets the place of the forgotten one, and is asked for in its own name.
    c.tell(WorkloadChanged{Cluster::make("lq", "another")});
    const auto refused = run_cycle_audited(c.state, kNow).refused;
    REQUIRE(refused.size() == 1);
    CHECK(c.state.resource_name(refused[0].pod_sets.at(0).flavors.at(0).resource) == "another");
    c.tell(WorkloadChanged{Cluster::make("lq", "cpu")});
    CHECK(run_cycle_audited(c.state, kNow).admitted.size() == 1);
}

}  // namespace sluice::engine
