// Rooms that are kept from one placement to the next are those that a fresh count finds.
#include "engine/placement/room_cache.hpp"

#include "base/prng.hpp"
#include "engine/placed_cluster.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::engine {
namespace {

constexpr std::int64_t kNodes = 600;  // three chunks of leaves

/// Racks of seven nodes with 1 to 9 cpus each.
struct Racks : PlacedCluster {
    FlavorIndex flavor;

    Racks() {
        for (std::int64_t i = 0; i < kNodes; ++i) {
            set_node("n" + std::to_string(1000 + i), "r" + std::to_string(100 + i / 7), 1 + i % 9);
        }
        refresh(state);
        flavor = state.data().flavors.find("f");
    }
    const FlavorTopology& topology() const { return *state.topologies().find(flavor); }
    PodsToPlace pods(std::int64_t cpu, bool has_leader, Occupancy occupancy) const {
        const ResourceIndex resource = state.data().resources.find("cpu");
        PodsToPlace made;
        made.shape = kInRack;
        made.pod = {{.resource = resource, .amount = Amount(cpu)}};
        if (has_leader) {
            made.leader = {{.resource = resource, .amount = Amount(1)}};
        }
        made.occupancy = occupancy;
        return made;
    }
};

PlacementRequest request_of(std::int64_t slice, bool has_leader, std::int64_t count) {
    PlacementRequest made;
    made.count = count;
    made.has_leader = has_leader;
    made.level = 0;
    made.slices = {.level = 1, .size = slice};
    return made;
}

bool are_equal(const DomainCounts& a, const DomainCounts& b) {
    return a.pods == b.pods && a.pods_with_leader == b.pods_with_leader && a.slices == b.slices &&
           a.slices_with_leader == b.slices_with_leader && a.leaders == b.leaders &&
           a.affinity == b.affinity;
}

}  // namespace

TEST_CASE("kept rooms equal fresh ones whatever was taken in between", "[engine][topology]") {
    const Racks racks;
    const ResourceIndex cpu = racks.state.data().resources.find("cpu");
    Prng prng(11);
    RoomCache kept;
    std::vector<LeafCapacity> views{racks.topology().free()};
    for (int step = 0; step < 400; ++step) {
        // Views fork, and a placement may look at any of them.
        if (prng.chance(30) && views.size() < 6) {
            views.push_back(views[prng.below(views.size())]);
        }
        LeafCapacity& view = views[prng.below(views.size())];
        const auto changes = prng.between(0, 3);
        for (std::int64_t i = 0; i < changes; ++i) {
            const std::vector<Request> taken{
                {.resource = cpu, .amount = Amount(prng.between(-2, 3))}
            };
            view.take(prng.below(kNodes), taken);
        }
        const bool has_leader = prng.chance(30);
        const auto occupancy = prng.chance(80) ? Occupancy::Present : Occupancy::Empty;
        // More classes than are kept at a time.
        const PodsToPlace pods = racks.pods(prng.between(1, 4), has_leader, occupancy);
        const PlacementRequest request =
            request_of(prng.between(1, 2), has_leader, prng.between(1, 300));
        RoomCache fresh;
        CountedRooms& ours = kept.find(racks.state, racks.flavor, view, pods, request);
        CountedRooms& wanted = fresh.find(racks.state, racks.flavor, view, pods, request);
        REQUIRE(ours.rooms.lacking() == wanted.rooms.lacking());
        REQUIRE(std::ranges::equal(ours.counts, wanted.counts, are_equal));
        const DomainTree& tree = racks.topology().tree();
        const Placement placed = place(tree, request, ours.counts);
        REQUIRE(placed.leaves == place(tree, request, wanted.rooms.leaves).leaves);
        REQUIRE(std::ranges::equal(ours.counts, wanted.counts, are_equal));
    }
}

TEST_CASE("only chunks whose leaves changed are counted again", "[engine][topology]") {
    const Racks racks;
    const LeafCapacity before = racks.topology().free();
    const ResourceIndex cpu = racks.state.data().resources.find("cpu");
    const std::vector<Request> pod{{.resource = cpu, .amount = Amount(1)}};
    const RoomRequest request{.pod = pod, .leader = {}, .allowed = {}};
    LeafCapacity after = before;
    CHECK(changed_leaves(before, after, request).empty());
    after.take(300, pod);
    CHECK(
        changed_leaves(before, after, request) ==
        std::vector<LeafRange>{{.first = 256, .last = 512}}
    );
    after.take(599, pod);
    CHECK(changed_leaves(before, after, request).back() == LeafRange{.first = 512, .last = 600});
    const std::vector<Request> pods_alone{
        {.resource = racks.state.data().resources.find("pods"), .amount = Amount(1)}
    };
    CHECK(changed_leaves(before, after, {.pod = pods_alone, .leader = {}, .allowed = {}}).empty());
}

}  // namespace sluice::engine
