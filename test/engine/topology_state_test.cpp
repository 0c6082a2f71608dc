// Topologies follow nodes and holders, in whatever order these are told.
#include "base/prng.hpp"
#include "engine/placed_cluster.hpp"
#include "engine/state/snapshot.hpp"

#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <string>
#include <utility>

namespace sluice::engine {

TEST_CASE("a node that is not Ready has no room until it is Ready again", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n1", "a", 4);
    c.set_node("n2", "b", 2);
    CHECK(c.free_on("n1") == Amount(4));
    Node not_ready = PlacedCluster::node("n1", {}, 4);
    not_ready.places.clear();
    c.tell(NodeChanged{not_ready});
    CHECK(c.free_on("n1") == Amount(0));
    c.add(PlacedCluster::workload("w", 4, 1));
    CHECK(c.admitted().empty());
    c.set_node("n1", "a", 4);
    CHECK(c.admitted() == "n1=4");
    CHECK(c.free_on("n1") == Amount(0));
}

TEST_CASE("a node that moves to another rack takes what runs there with it", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n1", "a", 4);
    c.set_node("n2", "a", 4);
    c.add(PlacedCluster::holder("holder", 1, {{.id = "n1", .count = 3}}));
    CHECK(c.free_on("n1") == Amount(1));
    c.set_node("n1", "b", 4);
    CHECK(c.free_on("n1") == Amount(1));
    c.add(PlacedCluster::workload("w", 5, 1));
    CHECK(c.admitted().empty());
}

TEST_CASE("usage of a deleted node counts again when the node is back", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n1", "a", 4);
    c.add(PlacedCluster::holder("holder", 1, {{.id = "n1", .count = 3}}));
    c.tell(NodeDeleted{"n1"});
    c.tell(NodeDeleted{"n1"});
    c.set_node("n1", "a", 6);
    CHECK(c.free_on("n1") == Amount(3));
    c.tell(WorkloadDeleted{.ns = "ns", .name = "holder"});
    CHECK(c.free_on("n1") == Amount(6));
}

TEST_CASE("usage that is told before its node counts on the node", "[engine][topology]") {
    PlacedCluster c;
    c.add(PlacedCluster::holder("holder", 1, {{.id = "n1", .count = 3}}));
    CHECK(c.free_on("n1") == Amount(0));
    c.set_node("n1", "a", 4);
    CHECK(c.free_on("n1") == Amount(1));
}

TEST_CASE("hosts of equal names are one host", "[engine][topology]") {
    PlacedCluster c;
    c.tell(NodeChanged{PlacedCluster::node("n1", {"a", "h"}, 4)});
    c.tell(NodeChanged{PlacedCluster::node("n2", {"a", "h"}, 3)});
    CHECK(c.free_on("h") == Amount(7));
    c.tell(NodeDeleted{"n1"});
    CHECK(c.free_on("h") == Amount(3));
    c.tell(NodeDeleted{"n2"});
    CHECK(c.free_on("h") == Amount(0));
}

TEST_CASE("a host is where the first of its nodes is", "[engine][topology]") {
    PlacedCluster c;
    c.tell(NodeChanged{PlacedCluster::node("n1", {"a", "h"}, 2)});
    c.tell(NodeChanged{PlacedCluster::node("n2", {"b", "h"}, 2)});
    c.tell(NodeChanged{PlacedCluster::node("n3", {"a", "i"}, 2)});
    CHECK(c.free_on("h") == Amount(4));
    c.tell(NodeDeleted{"n1"});
    c.add(PlacedCluster::workload("w", 4, 1));
    CHECK(c.admitted().empty());  // h and i are in different racks now
}

TEST_CASE("levels may change before nodes have values for them", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n1", "a", 4);
    c.set_node("n2", "b", 4);
    c.add(PlacedCluster::holder("holder", 1, {{.id = "n2", .count = 3}}));
    CHECK(c.free_on("n2") == Amount(1));
    c.set_levels({std::string(kHostnameLevel)});
    CHECK(c.free_on("n2") == Amount(0));
    c.tell(NodeChanged{PlacedCluster::node("n2", {"n2"}, 4)});
    CHECK(c.free_on("n2") == Amount(1));
    c.tell(NodeDeleted{"n1"});
    CHECK(c.free_on("n2") == Amount(1));
    c.tell(FlavorDeleted{"f"});
    c.set_levels({std::string(kHostnameLevel)});
    CHECK(c.free_on("n2") == Amount(1));
}

TEST_CASE("flavors with the same host share what is free there", "[engine][topology]") {
    PlacedCluster c;
    c.tell(FlavorChanged{
        {.name = "g", .topology = "t", .levels = {"rack", std::string(kHostnameLevel)}}
    });
    Node both = PlacedCluster::node("n1", {"a", "n1"}, 4);
    both.places.push_back({.flavor = "g", .path = {"a", "n1"}});
    c.tell(NodeChanged{both});
    Workload holder = PlacedCluster::holder("holder", 1, {{.id = "n1", .count = 3}});
    holder.reservation->pod_sets.front().resources.front().flavor = "g";
    c.add(holder);
    CHECK(c.free_on("n1") == Amount(1));
    c.tell(WorkloadDeleted{.ns = "ns", .name = "holder"});
    CHECK(c.free_on("n1") == Amount(4));
}

TEST_CASE(
    "a holder that ends with usage beyond 64 bits leaves the usage of others", "[engine][topology]"
) {
    PlacedCluster c;
    c.set_node("n1", "a", 4);
    Workload huge = PlacedCluster::holder("huge", 1, {{.id = "n1", .count = 1}});
    huge.pod_sets.front().requests.front().amount = Amount::unlimited();
    c.add(huge);
    c.add(PlacedCluster::holder("small", 1, {{.id = "n1", .count = 1}}));
    c.tell(WorkloadDeleted{.ns = "ns", .name = "huge"});
    CHECK(c.free_on("n1") == Amount(3));
}

TEST_CASE("a loaded state places pods as the saved one", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n1", "a", 4);
    c.set_node("n2", "a", 4);
    c.add(PlacedCluster::holder("holder", 1, {{.id = "n1", .count = 3}}));
    CHECK(c.free_on("n1") == Amount(1));
    c.add(PlacedCluster::workload("w", 5, 1));
    std::optional<State> loaded = load(save(c.state));
    REQUIRE(loaded);
    CHECK(save(*loaded) == save(c.state));
    c.state = std::move(*loaded);
    CHECK(c.free_on("n1") == Amount(1));
    CHECK(c.admitted() == "n1=1 n2=4");
}

TEST_CASE("a copy keeps its nodes when the original loses them", "[engine][topology]") {
    PlacedCluster c;
    c.set_node("n1", "a", 4);
    CHECK(c.free_on("n1") == Amount(4));
    PlacedCluster other;
    other.state = c.state.fork();
    c.tell(NodeDeleted{"n1"});
    other.add(PlacedCluster::workload("w", 4, 1));
    CHECK(other.admitted() == "n1=4");
    CHECK(c.free_on("n1") == Amount(0));
}

TEST_CASE(
    "of two gangs with nodes for one, one runs and the other holds nothing, 1000 times",
    "[engine][topology]"
) {
    Prng random(24);
    for (int i = 0; i < 1000; ++i) {
        Options options = PlacedCluster::options_with_delay();
        options.gates.strict_node_fit = random.chance(50);
        PlacedCluster c(options);
        const int nodes = random.chance(50) ? 3 : 6;
        for (int n = 0; n < nodes; ++n) {
            c.set_node("n" + std::to_string(n), "a", 12 / nodes);
        }
        const std::int64_t gpus = random.chance(50) ? 1 : 2;
        std::vector<std::string> order{"one", "two"};
        if (random.chance(50)) {
            std::swap(order.front(), order.back());
        }
        for (const auto& name : order) {
            c.add(PlacedCluster::workload(name, static_cast<std::int32_t>(8 / gpus), gpus));
            if (random.chance(50)) {
                c.cycle();
            }
        }
        for (int k = 0; k < 4; ++k) {
            c.cycle();
        }
        const auto holds = [&](const char* name) {
            return c.state.workload(c.state.find_workload(std::string("ns/") + name)).holding !=
                   nullptr;
        };
        CAPTURE(i);
        REQUIRE(holds("one") != holds("two"));
        Amount left;
        for (int n = 0; n < nodes; ++n) {
            left = left + c.free_on("n" + std::to_string(n));
        }
        REQUIRE(left == Amount(4));
    }
}

}  // namespace sluice::engine
