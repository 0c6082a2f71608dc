#include "engine/topology/placement.hpp"

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

/// The room of hosts, by path: block, rack, host.
using Hosts = std::map<DomainPath, LeafRoom>;
/// Pods by host.
using Pods = std::map<std::string, std::int64_t>;

LeafRoom room(std::int64_t pods) {
    return {.pods = pods, .pods_beside_leader = pods, .fits_leader = false, .affinity = 0};
}

/// A host where the leader takes the place of `taken` pods.
LeafRoom room_with_leader(std::int64_t pods, std::int64_t taken) {
    return {.pods = pods, .pods_beside_leader = pods - taken, .fits_leader = true, .affinity = 0};
}

Placement place_on(const Hosts& hosts, PlacementRequest request) {
    std::vector<DomainPath> paths;
    std::vector<LeafRoom> rooms;
    for (const auto& [path, of] : hosts) {
        paths.push_back(path);
        rooms.push_back(of);
    }
    return place(DomainTree(3, std::move(paths)), request, rooms);
}

Pods pods_of(const Hosts& hosts, const Placement& placement) {
    Pods pods;
    std::vector<DomainPath> paths;
    for (const auto& [path, of] : hosts) {
        paths.push_back(path);
    }
    const DomainTree tree(3, std::move(paths));
    for (const auto& placed : placement.leaves) {
        pods[tree.value(placed.leaf)] = placed.count;
    }
    return pods;
}

PlacementRequest request_for(std::int64_t count, std::size_t level) {
    PlacementRequest request;
    request.count = count;
    request.level = level;
    request.slices = {.level = 2, .size = 1};
    return request;
}

PlacementRequest required(std::int64_t count, std::size_t level) {
    PlacementRequest request = request_for(count, level);
    request.is_required = true;
    return request;
}

PlacementRequest unconstrained(std::int64_t count) {
    PlacementRequest request = request_for(count, 2);
    request.is_unconstrained = true;
    request.least_room_first = true;
    return request;
}

const Hosts kTwoRacks{
    {{"b", "r1", "x1"}, room(2)},
    {{"b", "r1", "x2"}, room(2)},
    {{"b", "r2", "x3"}, room(3)},
    {{"b", "r2", "x4"}, room(1)},
};

Pods placed(const Hosts& hosts, const PlacementRequest& request) {
    const Placement placement = place_on(hosts, request);
    REQUIRE(placement.fits());
    return pods_of(hosts, placement);
}

PlacementShortage shortage(const Hosts& hosts, const PlacementRequest& request) {
    const Placement placement = place_on(hosts, request);
    REQUIRE_FALSE(placement.fits());
    CHECK(placement.leaves.empty());
    return *placement.shortage;
}

}  // namespace

TEST_CASE("pods that require a rack all get the same rack", "[engine][topology]") {
    CHECK(placed(kTwoRacks, required(4, 1)) == Pods{{"x1", 2}, {"x2", 2}});
    CHECK(placed(kTwoRacks, required(3, 2)) == Pods{{"x3", 3}});
}

TEST_CASE("a rack that is too small for a required rack says how many fit", "[engine][topology]") {
    const auto short_of = shortage(kTwoRacks, required(5, 1));
    CHECK(short_of.fitting == 4);
    CHECK(short_of.wanted == 5);
    CHECK(shortage(kTwoRacks, required(4, 2)).fitting == 3);
}

TEST_CASE("the domain with the least sufficient room is taken", "[engine][topology]") {
    CHECK(placed(kTwoRacks, required(1, 2)) == Pods{{"x4", 1}});
    CHECK(placed(kTwoRacks, required(2, 2)) == Pods{{"x1", 2}});
}

TEST_CASE(
    "pods that prefer a rack spread over the block when no rack has room", "[engine][topology]"
) {
    // The example of lib/engine/topology/README.md.
    CHECK(placed(kTwoRacks, request_for(5, 1)) == Pods{{"x1", 2}, {"x3", 3}});
    CHECK(placed(kTwoRacks, request_for(8, 1)).size() == 4);
    CHECK(shortage(kTwoRacks, request_for(9, 1)).fitting == 8);
}

TEST_CASE("unconstrained pods fill the hosts with the least room first", "[engine][topology]") {
    CHECK(placed(kTwoRacks, unconstrained(2)) == Pods{{"x1", 2}});
    CHECK(placed(kTwoRacks, unconstrained(4)) == Pods{{"x4", 1}, {"x1", 2}, {"x2", 1}});
    CHECK(shortage(kTwoRacks, unconstrained(9)).fitting == 8);
}

TEST_CASE(
    "unconstrained pods of the profile BestFit fill the roomiest hosts", "[engine][topology]"
) {
    PlacementRequest request = unconstrained(4);
    request.least_room_first = false;
    CHECK(placed(kTwoRacks, request) == Pods{{"x3", 3}, {"x4", 1}});
}

TEST_CASE("the pods of a slice share a rack", "[engine][topology]") {
    PlacementRequest request = request_for(6, 0);
    request.slices = {.level = 1, .size = 3};
    CHECK(placed(kTwoRacks, request) == Pods{{"x1", 2}, {"x2", 1}, {"x4", 1}, {"x3", 2}});
    request.count = 9;
    const auto short_of = shortage(kTwoRacks, request);
    CHECK(short_of.fitting == 2);
    CHECK(short_of.wanted == 3);
}

TEST_CASE("below the slices the hosts with the least room are filled first", "[engine][topology]") {
    const Hosts rack{
        {{"b", "r", "x1"}, room(1)}, {{"b", "r", "x2"}, room(2)}, {{"b", "r", "x4"}, room(4)}
    };
    PlacementRequest request = required(4, 1);
    CHECK(placed(rack, request) == Pods{{"x4", 4}});
    request.slices = {.level = 1, .size = 4};
    CHECK(placed(rack, request) == Pods{{"x1", 1}, {"x2", 2}, {"x4", 1}});
}

TEST_CASE("pods in excess of whole slices get no domain", "[engine][topology]") {
    PlacementRequest request = request_for(5, 0);
    request.slices = {.level = 1, .size = 2};
    std::int64_t sum = 0;
    for (const auto& [host, count] : placed(kTwoRacks, request)) {
        sum += count;
    }
    CHECK(sum == 4);
}

TEST_CASE("the pods of an inner slice share a host", "[engine][topology]") {
    // Slices of 4 in a rack, in pairs on a host: x3 has room for one pair, not for 3 pods.
    PlacementRequest request = request_for(4, 0);
    request.slices = {.level = 1, .size = 4};
    request.inner_layers = {{.level = 2, .size = 2}};
    CHECK(placed(kTwoRacks, request) == Pods{{"x1", 2}, {"x2", 2}});
    request.count = 8;
    const auto short_of = shortage(kTwoRacks, request);
    CHECK(short_of.fitting_by_layer == std::vector<std::int64_t>{1, 3});
}

TEST_CASE("the leader runs beside the workers", "[engine][topology]") {
    const Hosts hosts{
        {{"b", "r1", "x1"}, room(2)},
        {{"b", "r1", "x2"}, room(2)},
        {{"b", "r2", "x3"}, room_with_leader(4, 1)},
        {{"b", "r2", "x4"}, room(1)},
    };
    PlacementRequest request = required(4, 1);
    request.has_leader = true;
    const Placement placement = place_on(hosts, request);
    REQUIRE(placement.fits());
    CHECK(pods_of(hosts, placement) == Pods{{"x3", 3}, {"x4", 1}});
    CHECK(placement.leaves.front().with_leader);
    CHECK_FALSE(placement.leaves.back().with_leader);
    request.count = 5;
    CHECK_FALSE(place_on(hosts, request).fits());
}

TEST_CASE("a leader without room on any host places nothing", "[engine][topology]") {
    PlacementRequest request = request_for(1, 1);
    request.has_leader = true;
    CHECK(shortage(kTwoRacks, request).fitting == 0);
}

TEST_CASE("the pod of a lone leader may have a host of its own", "[engine][topology]") {
    const Hosts hosts{{{"b", "r", "x1"}, room_with_leader(0, 0)}, {{"b", "r", "x2"}, room(2)}};
    PlacementRequest request = required(2, 1);
    request.has_leader = true;
    const Placement placement = place_on(hosts, request);
    REQUIRE(placement.fits());
    REQUIRE(placement.leaves.size() == 2);
    CHECK(placement.leaves[0].with_leader);
    CHECK(placement.leaves[0].count == 0);
    CHECK(placement.leaves[1].count == 2);
}

TEST_CASE(
    "hosts that the pods prefer are filled before those with a better fit", "[engine][topology]"
) {
    Hosts hosts = kTwoRacks;
    hosts[{"b", "r2", "x3"}].affinity = 10;
    PlacementRequest request = required(1, 2);
    request.prefers_affinity = true;
    CHECK(placed(hosts, request) == Pods{{"x3", 1}});
    request.prefers_affinity = false;
    CHECK(placed(hosts, request) == Pods{{"x4", 1}});
}

TEST_CASE("balanced pods are spread evenly over as few racks as needed", "[engine][topology]") {
    const Hosts racks{
        {{"b", "r1", "x1"}, room(3)},
        {{"b", "r1", "x2"}, room(3)},
        {{"b", "r2", "x3"}, room(3)},
        {{"b", "r2", "x4"}, room(3)},
        {{"b", "r3", "x5"}, room(1)},
    };
    PlacementRequest request = request_for(8, 1);
    CHECK(placed(racks, request) == Pods{{"x1", 3}, {"x2", 3}, {"x3", 2}});
    request.prefers_balance = true;
    CHECK(placed(racks, request) == Pods{{"x1", 3}, {"x2", 3}, {"x3", 2}});
    // On hosts of one rack it shows: each gets 2, not 3 and 1.
    request = request_for(4, 2);
    request.prefers_balance = true;
    CHECK(placed(racks, request) == Pods{{"x1", 2}, {"x2", 2}});
}

TEST_CASE("balanced pods that split an inner slice are placed by best fit", "[engine][topology]") {
    const Hosts hosts{
        {{"a", "b", "x1"}, room(3)},
        {{"a", "b", "x2"}, room(4)},
        {{"b", "a", "x3"}, room(5)},
    };
    PlacementRequest request = request_for(8, 0);
    request.slices = {.level = 1, .size = 4};
    request.inner_layers = {{.level = 2, .size = 4}};
    request.prefers_balance = true;
    CHECK(placed(hosts, request) == Pods{{"x2", 4}, {"x3", 4}});
}

TEST_CASE("fewer balanced pods than a slice place nothing", "[engine][topology]") {
    PlacementRequest request = request_for(1, 0);
    request.slices = {.level = 1, .size = 2};
    request.prefers_balance = true;
    CHECK(placed(kTwoRacks, request).empty());
}

}  // namespace sluice::engine
