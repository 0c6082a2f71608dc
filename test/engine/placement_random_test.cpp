// Random small topologies: each placement keeps the rules, and whatever fits is placed.
#include "base/prng.hpp"
#include "engine/topology/placement.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

struct RandomCase {
    std::vector<DomainPath> paths;  // sorted
    std::vector<LeafRoom> rooms;
    PlacementRequest request;
};

constexpr std::size_t kLevels = 3;

RandomCase make_case(Prng& random) {
    RandomCase made;
    for (std::uint64_t b = 0; b < 1 + random.below(3); ++b) {
        for (std::uint64_t r = 0; r < 1 + random.below(3); ++r) {
            for (std::uint64_t x = 0; x < 1 + random.below(4); ++x) {
                made.paths.push_back(
                    {"b" + std::to_string(b), "r" + std::to_string(r), "x" + std::to_string(x)}
                );
            }
        }
    }
    std::sort(made.paths.begin(), made.paths.end());
    made.paths.erase(std::unique(made.paths.begin(), made.paths.end()), made.paths.end());
    PlacementRequest& request = made.request;
    request.has_leader = random.below(4) == 0;
    for (std::size_t i = 0; i < made.paths.size(); ++i) {
        LeafRoom room;
        room.pods = static_cast<std::int64_t>(random.below(6));
        room.fits_leader = request.has_leader && random.below(3) > 0;
        const auto lost = static_cast<std::int64_t>(room.fits_leader ? random.below(3) : 0);
        room.pods_beside_leader = std::max<std::int64_t>(0, room.pods - lost);
        made.rooms.push_back(room);
    }
    request.slices.level = static_cast<std::size_t>(random.below(kLevels));
    request.slices.size = static_cast<std::int64_t>(1 + random.below(4));
    request.level = static_cast<std::size_t>(random.below(request.slices.level + 1));
    request.count = static_cast<std::int64_t>(1 + random.below(12));
    switch (random.below(3)) {
        case 0:
            request.is_required = true;
            break;
        case 1:
            request.is_unconstrained = true;
            request.least_room_first = random.below(2) == 0;
            break;
        default:
            request.prefers_balance = random.below(2) == 0;
            break;
    }
    if (!request.has_leader && request.slices.level + 1 < kLevels && random.below(3) == 0) {
        request.inner_layers.push_back(
            {.level = kLevels - 1, .size = request.slices.size % 2 == 0 ? 2 : request.slices.size}
        );
    }
    return made;
}

/// Returns the most slices that fit in a domain, by the definition: a slice needs its pods within
/// one domain of the slices' level. With a leader on a host, if there is one, at the best place.
std::int64_t slices_in(
    const DomainTree& tree, const RandomCase& of, DomainIndex domain, bool with_leader
) {
    std::map<DomainIndex, std::int64_t> pods;  // by domain of the slices' level
    const auto owner = [&](std::size_t leaf) {
        DomainIndex at{tree.leaves().first + static_cast<std::uint32_t>(leaf)};
        for (std::size_t level = kLevels - 1; level > of.request.slices.level; --level) {
            at = tree.parent(at);
        }
        return at;
    };
    for (std::size_t i = 0; i < of.rooms.size(); ++i) {
        if (tree.is_within(
                DomainIndex{tree.leaves().first + static_cast<std::uint32_t>(i)}, domain
            )) {
            pods[owner(i)] += of.rooms[i].pods;
        }
    }
    const auto slices = [&] {
        std::int64_t sum = 0;
        for (const auto& [at, count] : pods) {
            sum += count / of.request.slices.size;
        }
        return sum;
    };
    if (!with_leader) {
        return slices();
    }
    std::int64_t most = -1;
    for (std::size_t i = 0; i < of.rooms.size(); ++i) {
        const DomainIndex leaf{tree.leaves().first + static_cast<std::uint32_t>(i)};
        if (of.rooms[i].fits_leader && tree.is_within(leaf, domain)) {
            const std::int64_t lost = of.rooms[i].pods - of.rooms[i].pods_beside_leader;
            pods[owner(i)] -= lost;
            most = std::max(most, slices());
            pods[owner(i)] += lost;
        }
    }
    return most;
}

std::int64_t most_of_one_domain(const DomainTree& tree, const RandomCase& of, std::size_t level) {
    std::int64_t most = -1;
    const DomainRange range = tree.at_level(level);
    for (std::uint32_t at = range.first; at < range.last; ++at) {
        most = std::max(most, slices_in(tree, of, DomainIndex{at}, of.request.has_leader));
    }
    return most;
}

/// Returns the slices that fit in all domains together, with the leader at its best place.
std::int64_t most_of_all(const DomainTree& tree, const RandomCase& of) {
    std::int64_t most = of.request.has_leader ? -1 : 0;
    const DomainRange tops = tree.at_level(0);
    for (std::uint32_t at = tops.first; at < tops.last; ++at) {
        std::int64_t sum = slices_in(tree, of, DomainIndex{at}, of.request.has_leader);
        if (sum < 0) {
            continue;  // no place for the leader here
        }
        for (std::uint32_t other = tops.first; other < tops.last; ++other) {
            sum += other == at ? 0 : slices_in(tree, of, DomainIndex{other}, false);
        }
        if (!of.request.has_leader) {
            return sum;
        }
        most = std::max(most, sum);
    }
    return most;
}

std::string fault_of(const DomainTree& tree, const RandomCase& of, const Placement& placement) {
    const std::int64_t wanted = of.request.count / of.request.slices.size;
    std::int64_t pods = 0;
    std::int64_t leaders = 0;
    std::map<DomainIndex, std::int64_t> by_slice_domain;
    std::map<DomainIndex, std::int64_t> by_domain;
    for (const PlacedPods& placed : placement.leaves) {
        const LeafRoom& room = of.rooms[placed.leaf.at() - tree.leaves().first];
        const std::int64_t most = placed.with_leader ? room.pods_beside_leader : room.pods;
        if (placed.count > most || (placed.with_leader && !room.fits_leader)) {
            return "a host has more than it has room for";
        }
        pods += placed.count;
        leaders += placed.with_leader ? 1 : 0;
        DomainIndex at = placed.leaf;
        for (std::size_t level = kLevels; level-- > 0; at = tree.parent(at)) {
            if (level == of.request.slices.level) {
                by_slice_domain[at] += placed.count;
            }
            if (level == of.request.level) {
                by_domain[at] += placed.count;
            }
        }
    }
    if (pods != wanted * of.request.slices.size) {
        return "not all pods are placed";
    }
    if (leaders != (of.request.has_leader ? 1 : 0)) {
        return "the leader is not placed once";
    }
    for (const auto& [domain, count] : by_slice_domain) {
        if (count % of.request.slices.size != 0) {
            return "a slice is split";
        }
    }
    if (!of.request.inner_layers.empty()) {
        const std::int64_t size = of.request.inner_layers.front().size;
        const auto is_split = [size](const PlacedPods& placed) { return placed.count % size != 0; };
        if (std::any_of(placement.leaves.begin(), placement.leaves.end(), is_split)) {
            return "an inner slice is split";
        }
    }
    if (of.request.is_required && by_domain.size() > 1) {
        return "a required domain is split";
    }
    return "";
}

}  // namespace

TEST_CASE("random placements keep their rules, and what fits is placed", "[engine][topology]") {
    std::size_t placed = 0;
    std::size_t refused = 0;
    for (std::uint64_t seed = 0; seed < 60'000; ++seed) {
        Prng random(seed);
        const RandomCase of = make_case(random);
        const DomainTree tree(kLevels, of.paths);
        const Placement placement = place(tree, of.request, of.rooms);
        const std::int64_t wanted = of.request.count / of.request.slices.size;
        const std::int64_t most = of.request.is_required
                                      ? most_of_one_domain(tree, of, of.request.level)
                                      : most_of_all(tree, of);
        INFO("seed " << seed);
        if (placement.fits()) {
            REQUIRE(fault_of(tree, of, placement) == "");
            REQUIRE(most >= wanted);
            ++placed;
        } else {
            // The definition above does not count inner slices.
            REQUIRE((most < wanted || !of.request.inner_layers.empty()));
            ++refused;
        }
    }
    CHECK(placed > 10'000);
    CHECK(refused > 10'000);
}

}  // namespace sluice::engine
