// The fast placer and the slow one place all pods alike.
#include "engine/reference_placer.hpp"

#include "base/prng.hpp"
#include "engine/topology/domain_counts.hpp"
#include "engine/topology/placement.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sluice::reference {
namespace {

struct PlacerCase {
    PlacerHosts hosts;
    engine::PlacementRequest request;
};

/// Which cases are made.
struct PlacerFocus {
    std::size_t most_levels = 4;
    unsigned leader_percent = 30;
    bool is_even = false;  ///< only requests that prefer balance
};
/// Rare ways of the even placement are those with a leader.
constexpr PlacerFocus kEvenWithLeader = {.leader_percent = 90, .is_even = true};

/// How many cases of a kind were seen, so that a run can be checked to be no idle one.
struct PlacerTally {
    std::size_t placed = 0;
    std::size_t refused = 0;
    std::size_t split = 0;         ///< over several hosts
    std::size_t even = 0;          ///< unlike without prefers_balance
    std::size_t with_leader = 0;   ///< placed
    std::size_t by_affinity = 0;   ///< unlike without prefers_affinity
    std::size_t inner_layers = 0;  ///< placed
};

/// The values that siblings have are compared bytewise.
std::string level_value(Prng& random) {
    static const std::array<std::string, 9> kValues = {
        "a", "b", "B", "a10", "a2", "a-1", "", "0", "\xc3\xa9"
    };
    return kValues[std::size_t(random.below(kValues.size()))];
}

void add_hosts(
    Prng& random,
    std::size_t levels,
    std::vector<std::string> path,
    std::vector<std::vector<std::string>>& paths
) {
    if (path.size() == levels) {
        paths.push_back(path);
        return;
    }
    const std::uint64_t children = 1 + random.below(levels > 2 ? 3 : 5);
    for (std::uint64_t i = 0; i < children; ++i) {
        path.push_back(level_value(random));
        add_hosts(random, levels, path, paths);
        path.pop_back();
    }
}

PlacerHosts make_hosts(Prng& random, std::size_t levels, bool has_leader) {
    std::vector<std::vector<std::string>> paths;
    add_hosts(random, levels, {}, paths);
    static const std::array<std::int64_t, 5> kMostPods = {1, 2, 4, 6, 15};
    const std::int64_t most = kMostPods[std::size_t(random.below(kMostPods.size()))];
    const unsigned empty_percent = random.chance(30) ? 50 : 5;
    const unsigned equal_percent = random.chance(30) ? 80 : 0;
    const unsigned leader_percent = random.chance(50) ? 90 : 30;
    const std::int64_t most_affinity = random.chance(50) ? 1 : 5;
    PlacerHosts hosts;
    for (const std::vector<std::string>& path : paths) {
        engine::LeafRoom room;
        room.pods = random.between(0, most);
        room.pods = random.chance(equal_percent) ? most : room.pods;
        room.pods = random.chance(empty_percent) ? 0 : room.pods;
        room.fits_leader = has_leader && random.chance(leader_percent);
        const std::int64_t lost = room.fits_leader ? random.between(0, 3) : 0;
        room.pods_beside_leader = std::max<std::int64_t>(0, room.pods - lost);
        room.affinity = random.between(0, most_affinity);
        hosts[path] = room;
    }
    return hosts;
}

void add_slices(Prng& random, std::size_t levels, engine::PlacementRequest& request) {
    static const std::array<std::int64_t, 8> kSizes = {1, 1, 1, 2, 3, 4, 6, 8};
    request.slices.level = std::size_t(random.below(levels));
    request.slices.size = kSizes[std::size_t(random.below(kSizes.size()))];
    if (random.chance(30)) {
        request.slices = {.level = levels - 1, .size = 1};
    }
    engine::SliceLayer outer = request.slices;
    while (outer.level + 1 < levels && random.chance(40)) {
        outer.level += 1 + std::size_t(random.below(levels - 1 - outer.level));
        std::int64_t divisor = random.between(1, outer.size);
        while (outer.size % divisor != 0) {
            --divisor;
        }
        outer.size = divisor;
        request.inner_layers.push_back(outer);
    }
}

void add_kind(Prng& random, engine::PlacementRequest& request) {
    switch (random.below(9)) {
        case 0:
        case 1:
            request.is_required = true;
            break;
        case 2:
            request.is_unconstrained = true;
            break;
        case 3:
        case 4:
            request.is_unconstrained = true;
            request.least_room_first = true;
            break;
        default:
            break;
    }
    request.prefers_affinity = random.chance(30);
    request.prefers_balance = random.chance(60);  // ignored unless the level is preferred
    // Refused by the webhook, not by the algorithm, like layers with a leader.
    request.is_required |= request.least_room_first && random.chance(10);
}

PlacerCase make_placer_case(Prng& random, const PlacerFocus& focus) {
    PlacerCase made;
    const std::size_t levels = 1 + std::size_t(random.below(focus.most_levels));
    engine::PlacementRequest& request = made.request;
    request.has_leader = random.chance(focus.leader_percent);
    made.hosts = make_hosts(random, levels, request.has_leader);
    add_slices(random, levels, request);
    request.level = std::size_t(random.below(request.slices.level + 1));
    add_kind(random, request);
    std::int64_t room = 0;
    for (const auto& [path, of] : made.hosts) {
        room += of.pods;
    }
    request.count = random.between(0, random.chance(50) ? room + 2 : room / 2 + 1);
    if (focus.is_even) {
        request.is_required = false;
        request.is_unconstrained = false;
        request.least_room_first = false;
        request.prefers_balance = true;
    }
    return made;
}

/// `with_used_counts`: by counts that have served for another number of pods.
PlacerResult place_fast(const PlacerCase& of, bool with_used_counts = false) {
    std::vector<engine::DomainPath> paths;
    std::vector<engine::LeafRoom> rooms;
    for (const auto& [path, room] : of.hosts) {
        paths.push_back(path);
        rooms.push_back(room);
    }
    const std::size_t levels = paths.front().size();
    const engine::DomainTree tree(levels, std::move(paths));
    engine::Placement placement;
    if (with_used_counts) {
        engine::PlacementRequest other = of.request;
        other.count = of.request.count / 2 + 1;
        std::vector<engine::DomainCounts> counts = engine::count_domains(tree, other, rooms);
        engine::place(tree, other, counts);
        placement = engine::place(tree, of.request, counts);
    } else {
        placement = engine::place(tree, of.request, rooms);
    }
    PlacerResult result;
    result.shortage = placement.shortage;
    std::vector<std::string> last;
    for (const engine::PlacedPods& placed : placement.leaves) {
        const engine::DomainPath path = tree.path(placed.leaf);
        if (!result.shares.empty() && path <= last) {
            FAIL("the hosts are not in order");
        }
        last = path;
        result.shares[path] = {.pods = placed.count, .with_leader = placed.with_leader};
    }
    return result;
}

bool are_same_results(const PlacerResult& a, const PlacerResult& b) {
    if (a.shares != b.shares || a.shortage.has_value() != b.shortage.has_value()) {
        return false;
    }
    return !a.shortage || !b.shortage ||
           (a.shortage->fitting == b.shortage->fitting &&
            a.shortage->wanted == b.shortage->wanted &&
            a.shortage->fitting_by_layer == b.shortage->fitting_by_layer);
}

std::string placer_text(const std::vector<std::string>& path) {
    std::string text = "{";
    for (const std::string& value : path) {
        text += (text.size() > 1 ? ", \"" : "\"") + value + "\"";
    }
    return text + "}";
}

std::string placer_text(const PlacerResult& result) {
    std::string text;
    for (const auto& [path, share] : result.shares) {
        text += "  " + placer_text(path) + ": " + std::to_string(share.pods) +
                (share.with_leader ? " and the leader\n" : "\n");
    }
    if (result.shortage) {
        text += "  " + std::to_string(result.shortage->fitting) + " of " +
                std::to_string(result.shortage->wanted) + " fit; by layer:";
        for (const std::int64_t fitting : result.shortage->fitting_by_layer) {
            text += " " + std::to_string(fitting);
        }
        text += "\n";
    }
    return text;
}

/// All that is needed to make the case again, as the members of its structures.
std::string placer_text(const PlacerCase& of) {
    const auto flag = [](bool value) { return value ? "true" : "false"; };
    const engine::PlacementRequest& request = of.request;
    std::string text =
        "count " + std::to_string(request.count) + ", has_leader " + flag(request.has_leader) +
        ", level " + std::to_string(request.level) + ", is_required " + flag(request.is_required) +
        ", is_unconstrained " + flag(request.is_unconstrained) + ", least_room_first " +
        flag(request.least_room_first) + ", prefers_affinity " + flag(request.prefers_affinity) +
        ", prefers_balance " + flag(request.prefers_balance) + ", slices {" +
        std::to_string(request.slices.level) + ", " + std::to_string(request.slices.size) +
        "}, inner_layers {";
    for (const engine::SliceLayer& layer : request.inner_layers) {
        text += "{" + std::to_string(layer.level) + ", " + std::to_string(layer.size) + "}";
    }
    text += "}\nhosts (pods, pods_beside_leader, fits_leader, affinity):\n";
    for (const auto& [path, room] : of.hosts) {
        text += "  {" + placer_text(path) + ", {" + std::to_string(room.pods) + ", " +
                std::to_string(room.pods_beside_leader) + ", " + flag(room.fits_leader) + ", " +
                std::to_string(room.affinity) + "}},\n";
    }
    return text;
}

void count_case(const PlacerCase& of, const PlacerResult& result, PlacerTally& seen) {
    if (result.shortage) {
        ++seen.refused;
        return;
    }
    ++seen.placed;
    seen.split += result.shares.size() > 1 ? 1 : 0;
    seen.with_leader += of.request.has_leader ? 1 : 0;
    seen.inner_layers += of.request.inner_layers.empty() ? 0 : 1;
    PlacerCase without = of;
    without.request.prefers_balance = false;
    without.request.prefers_affinity = of.request.prefers_affinity;
    seen.even +=
        of.request.prefers_balance && !are_same_results(place_fast(without), result) ? 1 : 0;
    without.request.prefers_balance = of.request.prefers_balance;
    without.request.prefers_affinity = false;
    seen.by_affinity +=
        of.request.prefers_affinity && !are_same_results(place_fast(without), result) ? 1 : 0;
}

void compare_placers(const PlacerCase& of, std::uint64_t seed) {
    const PlacerResult slow = place_slowly(of.hosts, of.request);
    const bool with_used_counts = seed % 4 == 1;
    const PlacerResult fast = place_fast(of, with_used_counts);
    if (!are_same_results(slow, fast)) {
        FAIL(
            "seed " << seed << (with_used_counts ? ", with used counts\n" : "\n") << placer_text(of)
                    << "slow:\n"
                    << placer_text(slow) << "fast:\n"
                    << placer_text(fast)
        );
    }
}

}  // namespace

TEST_CASE("the fast and the slow placer agree on random topologies", "[engine][topology]") {
    const PlacerFocus small = {.most_levels = 3};
    const PlacerFocus large;
    PlacerTally seen;
    for (std::uint64_t seed = 0; seed < 18'000; ++seed) {
        Prng random(seed);
        const PlacerFocus& focus = seed % 3 == 0 ? large : small;
        const PlacerCase of = make_placer_case(random, seed % 5 == 0 ? kEvenWithLeader : focus);
        compare_placers(of, seed);
        if (seed % 11 == 0) {
            count_case(of, place_fast(of), seen);
        }
    }
    CHECK(seen.placed > 1'000);
    CHECK(seen.refused > 300);
    CHECK(seen.split > 500);
    CHECK(seen.with_leader > 300);
    CHECK(seen.inner_layers > 100);
    CHECK(seen.by_affinity > 100);
    CHECK(seen.even > 20);
}

TEST_CASE("the fast and the slow placer agree on very many topologies", "[.][long][topology]") {
    for (std::uint64_t i = 0; i < 2'000'000; ++i) {
        const std::uint64_t seed = 1'000'000'000 + i;
        Prng random(seed);
        const PlacerCase of =
            make_placer_case(random, seed % 5 == 0 ? kEvenWithLeader : PlacerFocus());
        compare_placers(of, seed);
    }
    SUCCEED();
}

}  // namespace sluice::reference
