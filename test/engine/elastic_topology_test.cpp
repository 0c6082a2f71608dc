// Slices of elastic jobs with a topology (KEP-77): pods that run stay, and only the others are
// placed.
#include "engine/placed_cluster.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

namespace sluice::engine {
namespace {

constexpr std::uint32_t kAnywhere = 2;

Options elastic() {
    Options made = PlacedCluster::options_with_delay();
    made.gates.elastic_jobs = true;
    made.gates.tas_elastic_jobs = true;
    return made;
}

/// Two racks: n1 and n2 with 8 cpu in a, n3 with 8 in b.
struct ElasticCluster : PlacedCluster {
    explicit ElasticCluster(const Options& options = elastic()) : PlacedCluster(options) {
        TopologyRequest anywhere;
        anywhere.unconstrained = true;
        tell(PodShapeChanged{{.id = kAnywhere, .topology = anywhere, .resources = {"cpu"}}});
        set_node("n1", "a", 8);
        set_node("n2", "a", 8);
        set_node("n3", "b", 8);
    }

    /// Adds a slice that runs in these domains.
    void add_slice(const std::vector<DomainPods>& domains, std::int64_t cpu) {
        Workload made = holder("slice", cpu, domains);
        made.pod_sets.front().shape = kAnywhere;
        made.reservation->admitted = true;
        add(made);
    }
    static Workload larger(std::int32_t pods, std::int64_t cpu) {
        Workload made = workload("larger", pods, cpu);
        made.pod_sets.front().shape = kAnywhere;
        made.replaces = "ns/slice";
        return made;
    }
    /// The domains of a slice with so many pods that replaces the one that runs.
    std::string grown_to(std::int32_t pods, std::int64_t cpu) {
        add(larger(pods, cpu));
        return admitted();
    }
};

/// A leader of 2 cpu and workers of 3 as one group; see PodShape.
Workload group(std::string name, std::int32_t workers) {
    Workload made = PlacedCluster::workload(name, workers, 3);
    made.pod_sets.front().name = "workers";
    made.pod_sets.front().shape = kAnywhere;
    made.pod_sets.front().group = "g";
    PodSet leader = made.pod_sets.front();
    leader.name = "leader";
    leader.count = 1;
    leader.requests = {{.resource = "cpu", .amount = Amount(2)}};
    made.pod_sets.insert(made.pod_sets.begin(), leader);
    return made;
}

}  // namespace

TEST_CASE("pods of a slice stay, and those beyond them are placed", "[engine][topology][elastic]") {
    ElasticCluster c;
    c.add_slice({{.id = "n1", .count = 2}}, 3);
    SECTION("on the room that the slice leaves") {
        CHECK(c.grown_to(3, 2) == "n1=3");
    }
    SECTION("on another host if it leaves none") {
        CHECK(c.grown_to(4, 3) == "n1=2 n2=2");
    }
    SECTION("but not where other pods are") {
        Workload other = PlacedCluster::holder("other", 8, {{.id = "n2", .count = 1}});
        c.add(other);
        CHECK(c.grown_to(4, 3) == "n1=2 n3=2");
    }
}

TEST_CASE("each slice is placed afresh without the gate", "[engine][topology][elastic]") {
    Options options = elastic();
    options.gates.tas_elastic_jobs = false;
    ElasticCluster c(options);
    c.add_slice({{.id = "n3", .count = 2}}, 3);
    CHECK(c.grown_to(4, 3) == "n1=2 n2=2");
}

TEST_CASE("a smaller slice keeps all places", "[engine][topology][elastic]") {
    ElasticCluster c;
    c.add_slice({{.id = "n1", .count = 2}, {.id = "n2", .count = 2}}, 3);
    CHECK(c.grown_to(3, 3) == "n1=2 n2=2");
}

TEST_CASE("a slice on a node that is gone does not grow", "[engine][topology][elastic]") {
    ElasticCluster c;
    c.add_slice({{.id = "n1", .count = 2}, {.id = "gone", .count = 2}}, 3);
    c.add(ElasticCluster::larger(5, 3));
    const CycleResult result = c.cycle();
    REQUIRE(result.refused.size() == 1);
    const auto& refusals = result.refused.front().pod_sets.front().flavors;
    REQUIRE(refusals.size() == 1);
    CHECK(refusals.front().placement->kind == PlacementFailure::Kind::ElasticOnLostNode);
    CHECK(refusals.front().placement->text == "gone");
    c.set_node("gone", "a", 8);
    CHECK(c.admitted() == "gone=2 n1=2 n2=1");
}

TEST_CASE("pods stay on a cordoned node", "[engine][topology][elastic]") {
    ElasticCluster c;
    c.add_slice({{.id = "n1", .count = 2}, {.id = "n2", .count = 2}}, 3);
    CHECK(c.cycle().admitted.empty());
    Node cordoned = ElasticCluster::node("n1", {"a", "n1"}, 8);
    cordoned.places.clear();
    c.tell(NodeChanged{cordoned});
    CHECK(c.grown_to(5, 3) == "n1=2 n2=2 n3=1");
}

TEST_CASE("a slice grows only into room that is there", "[engine][topology][elastic]") {
    ElasticCluster c;
    c.add_slice({{.id = "n1", .count = 2}, {.id = "n2", .count = 2}}, 3);
    CHECK(c.grown_to(6, 3) == "n1=2 n2=2 n3=2");
    c.add(ElasticCluster::larger(7, 3));  // the pods that it asks for have changed
    CHECK(c.admitted().empty());
}

TEST_CASE("the leader of a group stays with its workers", "[engine][topology][elastic]") {
    ElasticCluster c;
    Workload slice = group("slice", 2);
    slice.queueable = false;
    slice.reservation = QuotaReservation{
        .cluster_queue = "cq",
        .pod_sets =
            {{.name = "leader",
              .resources = {{.resource = "cpu", .flavor = "f", .amount = Amount(2)}},
              .count = 1,
              .domains = std::vector<DomainPods>{{.id = "n2", .count = 1}}},
             {.name = "workers",
              .resources = {{.resource = "cpu", .flavor = "f", .amount = Amount(6)}},
              .count = 2,
              .domains = std::vector<DomainPods>{{.id = "n2", .count = 2}}}},
    };
    c.add(slice);
    Workload more = group("more", 4);
    more.replaces = "ns/slice";
    c.add(more);
    const CycleResult result = c.cycle();
    REQUIRE(result.admitted.size() == 1);
    CHECK(c.domains_of(result.admitted.front().pod_sets[0]) == "n2=1");
    CHECK(c.domains_of(result.admitted.front().pod_sets[1]) == "n1=2 n2=2");
}

TEST_CASE("growth evicts others, and not the slice itself", "[engine][topology][elastic]") {
    ElasticCluster c;
    ClusterQueue queue;
    queue.name = "cq";
    queue.resource_groups = {
        {.covered_resources = {"cpu"},
         .flavors = {{.flavor = "f", .quotas = {{.nominal = Amount(1000)}}}}}
    };
    queue.preemption.within_cluster_queue = PreemptionPolicy::LowerPriority;
    c.tell(ClusterQueueChanged{queue});
    c.add_slice({{.id = "n1", .count = 2}}, 4);
    c.add(PlacedCluster::holder("a", 8, {{.id = "n2", .count = 1}}));
    c.add(PlacedCluster::holder("b", 8, {{.id = "n3", .count = 1}}));
    Workload larger = ElasticCluster::larger(4, 4);
    larger.priority = 1;
    c.add(larger);
    const CycleResult result = c.cycle();
    REQUIRE(result.preempted.size() == 1);
    const auto victim = c.state.workload_key(result.preempted.front().victim);
    CHECK((victim == "ns/a" || victim == "ns/b"));
}

}  // namespace sluice::engine
