#include "engine/topology/leaf_capacity.hpp"

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <vector>

namespace sluice::engine {
namespace {

const ResourceIndex kCpu{0};
const ResourceIndex kGpu{1};
const ResourceIndex kPods{2};

Request of(ResourceIndex resource, std::int64_t amount) {
    return {.resource = resource, .amount = Amount(amount)};
}

/// Two leaves: 8 cpu and 2 gpu; 4 cpu.
LeafCapacity make_capacity() {
    LeafCapacity capacity(2);
    capacity.add(0, std::vector{of(kCpu, 8), of(kGpu, 2), of(kPods, 10)});
    capacity.add(1, std::vector{of(kCpu, 4), of(kPods, 10)});
    return capacity;
}

std::vector<std::int64_t> pods_of(const Rooms& rooms) {
    std::vector<std::int64_t> pods;
    for (const LeafRoom& room : rooms.leaves) {
        pods.push_back(room.pods);
    }
    return pods;
}

}  // namespace

TEST_CASE("the scarcest resource of a leaf limits its pods", "[engine][topology]") {
    const LeafCapacity capacity = make_capacity();
    const std::vector pod{of(kCpu, 3), of(kGpu, 1), of(kPods, 1)};
    const Rooms rooms = count_rooms(capacity, {.pod = pod, .leader = {}, .allowed = {}});
    CHECK(pods_of(rooms) == std::vector<std::int64_t>{2, 0});
    CHECK(rooms.lacking() == std::map<ResourceIndex, std::size_t>{{kGpu, 1}});
}

TEST_CASE(
    "among resources that are equally scarce the first by name is named", "[engine][topology]"
) {
    const std::vector pod{of(kCpu, 5), of(kGpu, 1), of(kPods, 1)};
    const Rooms rooms = count_rooms(make_capacity(), {.pod = pod, .leader = {}, .allowed = {}});
    CHECK(rooms.lacking() == std::map<ResourceIndex, std::size_t>{{kCpu, 1}});
}

TEST_CASE("a request of nothing fits where the resource is missing", "[engine][topology]") {
    const std::vector pod{of(kCpu, 4), of(kGpu, 0), of(kPods, 1)};
    CHECK(
        pods_of(count_rooms(make_capacity(), {.pod = pod, .leader = {}, .allowed = {}})) ==
        std::vector<std::int64_t>{2, 1}
    );
}

TEST_CASE("what pods use is not free, and less than nothing is nothing", "[engine][topology]") {
    LeafCapacity capacity = make_capacity();
    const std::vector pod{of(kCpu, 2), of(kPods, 1)};
    capacity.take(0, pod, 3);
    capacity.take(1, pod, 3);
    CHECK(capacity.free(1, kCpu) == Amount(-2));
    CHECK(
        pods_of(count_rooms(capacity, {.pod = pod, .leader = {}, .allowed = {}})) ==
        std::vector<std::int64_t>{1, 0}
    );
    capacity.add(1, pod, 3);
    CHECK(capacity.free(1, kCpu) == Amount(4));
}

TEST_CASE("a copy of capacities has its own changes", "[engine][topology]") {
    const LeafCapacity capacity = make_capacity();
    LeafCapacity assumed = capacity;
    assumed.take(0, std::vector{of(kCpu, 8)});
    CHECK(assumed.free(0, kCpu) == Amount(0));
    CHECK(capacity.free(0, kCpu) == Amount(8));
}

TEST_CASE(
    "leaves that the pods may not run on have no room and lack nothing", "[engine][topology]"
) {
    const std::vector pod{of(kGpu, 1), of(kPods, 1)};
    const Rooms rooms =
        count_rooms(make_capacity(), {.pod = pod, .leader = {}, .allowed = {true, false}});
    CHECK(pods_of(rooms) == std::vector<std::int64_t>{2, 0});
    CHECK(rooms.lacking().empty());
}

TEST_CASE("a leader takes the place of pods where it fits", "[engine][topology]") {
    const std::vector pod{of(kCpu, 2), of(kPods, 1)};
    const std::vector leader{of(kCpu, 3), of(kGpu, 1), of(kPods, 1)};
    const Rooms rooms = count_rooms(make_capacity(), {.pod = pod, .leader = leader, .allowed = {}});
    CHECK(rooms.leaves[0].fits_leader);
    CHECK(rooms.leaves[0].pods == 4);
    CHECK(rooms.leaves[0].pods_beside_leader == 2);
    CHECK_FALSE(rooms.leaves[1].fits_leader);
    CHECK(rooms.leaves[1].pods_beside_leader == rooms.leaves[1].pods);
}

}  // namespace sluice::engine
