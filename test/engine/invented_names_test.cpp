// Names that users invent end with their last use. Each event is followed by an audit, which counts
// the uses of LocalQueues, ClusterQueues, cohorts and resources.
#include "engine/audited.hpp"
#include "engine/engine.hpp"
#include "engine/state/snapshot.hpp"

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
    explicit Cluster(const Options& options) : state(options) {}
    void tell(const Event& event, Time now = kNow) { apply_audited(state, event, now); }
    void name_cluster_queue(const std::string& local_queue, const std::string& name) {
        tell(LocalQueueChanged{{.ns = "ns", .name = local_queue, .cluster_queue = name}});
    }
    void end_local_queue(const std::string& name) {
        tell(LocalQueueDeleted{.ns = "ns", .name = name});
    }
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
    /// A workload that holds quota of a ClusterQueue, as its status says.
    static Workload make_holder(const std::string& cluster_queue) {
        Workload made = make("lq", "cpu");
        made.reservation = QuotaReservation{.cluster_queue = cluster_queue};
        made.reservation->pod_sets = {
            {.name = "main",
             .resources = {{.resource = "cpu", .flavor = "f", .amount = Amount(1)}},
             .count = 1}
        };
        return made;
    }
    bool knows_cluster_queue(const std::string& name) const {
        return state.find_cluster_queue(name).is_valid();
    }
    bool knows_cohort(const std::string& name) const { return state.find_cohort(name).is_valid(); }
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
        c.tell(PodShapeChanged{{.id = 1, .topology = TopologyRequest{}, .resources = {"one"}}});
        c.tell(PodShapeChanged{{.id = 1, .topology = TopologyRequest{}, .resources = {"two"}}});
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

TEST_CASE("ClusterQueues that nothing names do not grow the state", "[engine][names]") {
    Cluster c;
    const std::size_t nodes = c.state.tree().size();
    SECTION("LocalQueues come and go") {
        for (int i = 0; i < 1000; ++i) {
            const std::string name = "invented-" + std::to_string(i);
            c.name_cluster_queue(name, name);
            CHECK(c.knows_cluster_queue(name));
            c.end_local_queue(name);
            CHECK_FALSE(c.knows_cluster_queue(name));
        }
    }
    SECTION("a LocalQueue names one after another") {
        for (int i = 0; i < 1000; ++i) {
            c.name_cluster_queue("other", "invented-" + std::to_string(i));
        }
        c.end_local_queue("other");
    }
    SECTION("ClusterQueues and their cohorts come and go") {
        for (int i = 0; i < 100; ++i) {
            ClusterQueue made = Cluster::queue("cpu");
            made.name = "invented-" + std::to_string(i);
            made.cohort = made.name;
            c.tell(ClusterQueueChanged{made});
            made.cohort = "moved-" + std::to_string(i);
            c.tell(ClusterQueueChanged{made});
            CHECK_FALSE(c.knows_cohort(made.name));
            c.tell(ClusterQueueDeleted{made.name});
            CHECK_FALSE(c.knows_cohort(made.cohort));
        }
    }
    CHECK(c.state.tree().size() <= nodes + 3);
    CHECK(c.knows_cluster_queue("cq"));
    c.tell(WorkloadChanged{Cluster::make("lq", "cpu")});
    CHECK(run_cycle_audited(c.state, kNow).admitted.size() == 1);
}

TEST_CASE("a deleted ClusterQueue is known as long as it is in use", "[engine][names]") {
    Cluster c;
    SECTION("by a LocalQueue") {
        c.tell(ClusterQueueDeleted{"cq"});
        CHECK(c.knows_cluster_queue("cq"));
        c.end_local_queue("lq");
    }
    SECTION("by a holder, and until its wake-up is over") {
        c.tell(WorkloadChanged{Cluster::make_holder("cq")});
        c.tell(ClusterQueueDeleted{"cq"});
        c.end_local_queue("lq");
        CHECK(c.knows_cluster_queue("cq"));
        c.tell(WorkloadDeleted{.ns = "ns", .name = "w"});
        CHECK(c.knows_cluster_queue("cq"));
        REQUIRE(next_due(c.state));
        c.tell(TimerFired{}, *next_due(c.state));
    }
    CHECK_FALSE(c.knows_cluster_queue("cq"));
    CHECK_FALSE(next_due(c.state));
}

TEST_CASE("a ClusterQueue that never had an object is known by its holders", "[engine][names]") {
    Cluster c;
    c.tell(WorkloadChanged{Cluster::make_holder("invented")});
    CHECK(c.knows_cluster_queue("invented"));
    c.tell(WorkloadChanged{Cluster::make_holder("cq")});
    CHECK(c.knows_cluster_queue("invented"));  // a wake-up is due
    c.tell(TimerFired{}, *next_due(c.state));
    CHECK_FALSE(c.knows_cluster_queue("invented"));
}

TEST_CASE("a wake batch keeps a deleted ClusterQueue until it ends", "[engine][names]") {
    Cluster c(Options{.wake_batch = std::chrono::seconds(5)});
    c.tell(ClusterQueueChanged{Cluster::queue("cpu")});
    c.tell(ClusterQueueDeleted{"cq"});
    CHECK(c.knows_cluster_queue("cq"));
    c.tell(TimerFired{}, kNow + std::chrono::seconds(5));
    CHECK_FALSE(c.knows_cluster_queue("cq"));
}

TEST_CASE("cohorts are known as long as a child names them", "[engine][names]") {
    Cluster c;
    SECTION("in a chain") {
        c.tell(CohortChanged{{.name = "child", .parent = "parent"}});
        c.tell(CohortChanged{{.name = "parent", .parent = "root"}});
        c.tell(CohortDeleted{"parent"});
        CHECK(c.knows_cohort("parent"));
        CHECK_FALSE(c.knows_cohort("root"));
        c.tell(CohortDeleted{"child"});
    }
    SECTION("in a cycle") {
        c.tell(CohortChanged{{.name = "child", .parent = "parent"}});
        c.tell(CohortChanged{{.name = "parent", .parent = "child"}});
        c.tell(CohortDeleted{"parent"});
        CHECK(c.knows_cohort("parent"));
        c.tell(CohortChanged{{.name = "parent", .parent = "child"}});
        c.tell(CohortDeleted{"child"});
        CHECK(c.knows_cohort("child"));
        c.tell(CohortDeleted{"parent"});
    }
    CHECK_FALSE(c.knows_cohort("child"));
    CHECK_FALSE(c.knows_cohort("parent"));
}

TEST_CASE("forks and saved states reuse the indices of ended names", "[engine][names]") {
    Cluster c;
    for (const char* const name : {"a", "b", "c", "d"}) {
        c.name_cluster_queue(name, name);
    }
    c.end_local_queue("b");
    c.end_local_queue("c");
    State fork = c.state.fork();
    const auto loaded = load(save(c.state));
    REQUIRE(loaded);
    State copy = loaded->fork();
    CHECK(save(copy) == save(c.state));

    const std::size_t nodes = c.state.tree().size();
    const LocalQueue other{.ns = "ns", .name = "other", .cluster_queue = "other"};
    apply_audited(fork, LocalQueueChanged{other}, kNow);
    CHECK(fork.find_cluster_queue("other").is_valid());
    CHECK_FALSE(c.knows_cluster_queue("other"));

    ClusterQueue made = Cluster::queue("cpu");
    made.name = "new";
    for (State* const state : {&c.state, &copy}) {
        apply_audited(*state, ClusterQueueChanged{made}, kNow);
        const LocalQueue queue{.ns = "ns", .name = "new", .cluster_queue = "new"};
        apply_audited(*state, LocalQueueChanged{queue}, kNow);
        apply_audited(*state, WorkloadChanged{Cluster::make("new", "cpu")}, kNow);
        CHECK(run_cycle_audited(*state, kNow).admitted.size() == 1);
        CHECK(state->tree().size() == nodes);
    }
    CHECK(save(copy) == save(c.state));
    CHECK(fork.tree().size() == nodes);
    CHECK_FALSE(fork.find_cluster_queue("new").is_valid());
}

}  // namespace sluice::engine
