// Tiny topologies, where all ways to place the pods are tried: each request gets the placement that
// its kind promises.
#include "base/prng.hpp"
#include "engine/topology/placement.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sluice::engine {
namespace {

struct TinyCase {
    std::vector<DomainPath> paths;  // sorted
    std::vector<LeafRoom> rooms;
    PlacementRequest request;

    std::size_t levels() const { return paths.front().size(); }
    std::int64_t wanted() const { return request.count / request.slices.size; }
};

/// Pods by leaf, and the leaf of the leader.
struct OneWay {
    std::vector<std::int64_t> pods;
    std::optional<std::size_t> leader;
};

/// The most slices, with the leader if there is one, that all ways of placing have in a domain.
/// Domains that cannot host the leader are missing.
using MostSlices = std::map<DomainPath, std::int64_t>;

DomainPath prefix(const DomainPath& path, std::size_t level) {
    return {path.begin(), path.begin() + std::ptrdiff_t(level) + 1};
}

/// The domains of a level with pods or the leader, and their pods.
std::map<DomainPath, std::int64_t> domains_in_use(
    const TinyCase& of, const OneWay& way, std::size_t level
) {
    std::map<DomainPath, std::int64_t> pods;
    for (std::size_t i = 0; i < way.pods.size(); ++i) {
        if (way.pods[i] > 0 || way.leader == i) {
            pods[prefix(of.paths[i], level)] += way.pods[i];
        }
    }
    return pods;
}

bool has_whole_slices(const TinyCase& of, const OneWay& way) {
    std::vector<SliceLayer> layers = of.request.inner_layers;
    layers.push_back(of.request.slices);
    for (const SliceLayer& layer : layers) {
        if (layer.size > 1) {
            for (const auto& [domain, pods] : domains_in_use(of, way, layer.level)) {
                if (pods % layer.size != 0) {
                    return false;
                }
            }
        }
    }
    return true;
}

void note_way(const TinyCase& of, const OneWay& way, MostSlices& most) {
    if (!has_whole_slices(of, way)) {
        return;
    }
    std::int64_t pods = 0;
    for (const std::int64_t count : way.pods) {
        pods += count;
    }
    const auto note = [&](const DomainPath& domain) {
        const auto found = most.try_emplace(domain, 0).first;
        found->second = std::max(found->second, pods / of.request.slices.size);
    };
    note({});
    for (std::size_t level = 0; level < of.levels(); ++level) {
        const std::map<DomainPath, std::int64_t> domains = domains_in_use(of, way, level);
        if (domains.size() == 1) {
            note(domains.begin()->first);
        }
    }
}

void try_leaves(const TinyCase& of, std::size_t leaf, OneWay& way, MostSlices& most) {
    if (leaf == of.paths.size()) {
        note_way(of, way, most);
        return;
    }
    const LeafRoom& room = of.rooms[leaf];
    const std::int64_t pods = way.leader == leaf ? room.pods_beside_leader : room.pods;
    for (way.pods[leaf] = 0; way.pods[leaf] <= pods; ++way.pods[leaf]) {
        try_leaves(of, leaf + 1, way, most);
    }
    way.pods[leaf] = 0;
}

/// Tries all ways. The path of no values is the whole topology.
MostSlices try_all_ways(const TinyCase& of) {
    MostSlices most;
    OneWay way;
    way.pods.assign(of.paths.size(), 0);
    if (!of.request.has_leader) {
        for (const DomainPath& path : of.paths) {
            for (std::size_t level = 0; level < of.levels(); ++level) {
                most[prefix(path, level)] = 0;
            }
        }
        try_leaves(of, 0, way, most);
    }
    for (std::size_t i = 0; i < of.paths.size() && of.request.has_leader; ++i) {
        if (of.rooms[i].fits_leader) {
            way.leader = i;
            try_leaves(of, 0, way, most);
        }
    }
    return most;
}

TinyCase make_tiny(Prng& random) {
    TinyCase made;
    const std::size_t levels = 1 + std::size_t(random.below(3));
    std::set<DomainPath> paths;
    const std::size_t leaves = 1 + std::size_t(random.below(6));
    const std::uint64_t values = levels == 1 ? 6 : 3;
    while (paths.size() < leaves) {
        DomainPath path;
        for (std::size_t level = 0; level < levels; ++level) {
            path.push_back(std::string(1, char('a' + random.below(values))));
        }
        paths.insert(path);
    }
    made.paths.assign(paths.begin(), paths.end());
    PlacementRequest& request = made.request;
    request.has_leader = random.chance(25);
    const std::int64_t most = made.paths.size() > 4 ? random.between(1, 2) : random.between(2, 4);
    for (std::size_t i = 0; i < made.paths.size(); ++i) {
        LeafRoom room;
        room.pods = random.between(0, most);
        room.fits_leader = request.has_leader && random.chance(50);
        const std::int64_t lost = room.fits_leader ? random.between(0, 2) : 0;
        room.pods_beside_leader = std::max<std::int64_t>(0, room.pods - lost);
        room.affinity = random.between(0, 2);
        made.rooms.push_back(room);
    }
    request.count = random.between(1, 6);
    request.slices = {.level = std::size_t(random.below(levels)), .size = random.between(1, 3)};
    request.slices.size = random.chance(20) ? 4 : request.slices.size;
    if (!request.has_leader && request.slices.level + 1 < levels && random.chance(40)) {
        const std::int64_t size = request.slices.size % 2 == 0 ? 2 : request.slices.size;
        request.inner_layers.push_back({.level = levels - 1, .size = size});
    }
    request.level = std::size_t(random.below(request.slices.level + 1));
    const std::uint64_t kind = random.below(4);
    request.is_required = kind == 0;
    request.is_unconstrained = kind == 1;
    request.least_room_first = kind == 1 && random.chance(50);
    request.prefers_balance = kind == 2;
    request.prefers_affinity = random.chance(25);
    return made;
}

OneWay way_of(const DomainTree& tree, const Placement& placement) {
    OneWay way;
    way.pods.assign(tree.leaves().size(), 0);
    for (const PlacedPods& placed : placement.leaves) {
        const std::size_t leaf = placed.leaf.at() - tree.leaves().first;
        way.pods[leaf] += placed.count;
        if (placed.with_leader) {
            way.leader = leaf;
        }
    }
    return way;
}

/// Rules of all placements. Empty: they are kept.
std::string broken_rule(const TinyCase& of, const OneWay& way) {
    std::int64_t pods = 0;
    for (std::size_t i = 0; i < way.pods.size(); ++i) {
        const LeafRoom& room = of.rooms[i];
        if (way.pods[i] > (way.leader == i ? room.pods_beside_leader : room.pods)) {
            return "a leaf has more pods than it has room for";
        }
        pods += way.pods[i];
    }
    if (pods != of.wanted() * of.request.slices.size) {
        return "not all whole slices are placed";
    }
    if (way.leader.has_value() != of.request.has_leader) {
        return "the leader is missing, or nobody asked for one";
    }
    if (way.leader && !of.rooms[*way.leader].fits_leader) {
        return "the leader is where it does not fit";
    }
    if (!has_whole_slices(of, way)) {
        return "a slice is split";
    }
    return "";
}

std::int64_t affinity_of(const TinyCase& of, const DomainPath& domain) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < of.paths.size(); ++i) {
        sum += prefix(of.paths[i], domain.size() - 1) == domain ? of.rooms[i].affinity : 0;
    }
    return sum;
}

/// The domains of a level that have room for all slices and the leader.
MostSlices roomy_enough(const TinyCase& of, const MostSlices& most, std::size_t level) {
    MostSlices result;
    for (const auto& [domain, slices] : most) {
        if (domain.size() == level + 1 && slices >= of.wanted()) {
            result[domain] = slices;
        }
    }
    return result;
}

/// The level at which one domain is promised to hold all: the finest one allowed that has such a
/// domain.
std::optional<std::size_t> level_of_one_domain(const TinyCase& of, const MostSlices& most) {
    const bool goes_up = !of.request.is_required && !of.request.is_unconstrained;
    for (std::size_t level = of.request.level + 1; level-- > 0;) {
        if (!roomy_enough(of, most, level).empty()) {
            return level;
        }
        if (!goes_up) {
            break;
        }
    }
    return std::nullopt;
}

/// One domain holds all, the one with the least room that is enough; with required affinity the
/// one with the least room among those that are liked the most.
std::string broken_promise_of_one_domain(
    const TinyCase& of, const OneWay& way, const MostSlices& most, std::size_t level
) {
    const std::map<DomainPath, std::int64_t> domains = domains_in_use(of, way, level);
    if (domains.empty()) {
        return "";  // not even one slice was asked for
    }
    if (domains.size() > 1) {
        return "several domains where one has room for all";
    }
    const DomainPath& chosen = domains.begin()->first;
    const MostSlices candidates = roomy_enough(of, most, level);
    for (const auto& [domain, slices] : candidates) {
        const std::int64_t liked =
            of.request.prefers_affinity ? affinity_of(of, domain) - affinity_of(of, chosen) : 0;
        if (liked > 0) {
            return "another domain that has room is preferred more";
        }
        if (liked == 0 && slices < candidates.at(chosen)) {
            return "another domain has less room and yet enough";
        }
    }
    return "";
}

/// The fewest of these numbers that make the sum.
std::size_t fewest_for(const std::vector<std::int64_t>& numbers, std::int64_t sum) {
    std::size_t fewest = numbers.size() + 1;
    for (std::size_t set = 0; set < (std::size_t{1} << numbers.size()); ++set) {
        std::int64_t of_set = 0;
        std::size_t size = 0;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (((set >> i) & 1) == 1) {
                of_set += numbers[i];
                ++size;
            }
        }
        if (of_set >= sum) {
            fewest = std::min(fewest, size);
        }
    }
    return fewest;
}

/// From the level where domains are chosen down to the level of the slices, no fewer domains would
/// do, of those within the domains used one level above.
std::string broken_promise_of_fewest(
    const TinyCase& of, const OneWay& way, const MostSlices& most, std::size_t first_level
) {
    for (std::size_t level = first_level; level <= of.request.slices.level; ++level) {
        std::vector<std::int64_t> numbers;
        for (const auto& [domain, slices] : most) {
            if (domain.size() == level + 1 &&
                (level == first_level ||
                 domains_in_use(of, way, level - 1).contains(prefix(domain, level - 1)))) {
                numbers.push_back(slices);
            }
        }
        if (domains_in_use(of, way, level).size() != fewest_for(numbers, of.wanted())) {
            return "fewer domains would do at level " + std::to_string(level);
        }
    }
    return "";
}

std::string broken_promise(const TinyCase& of, const OneWay& way, const MostSlices& most) {
    const PlacementRequest& request = of.request;
    if (request.is_required && domains_in_use(of, way, request.level).size() > 1) {
        return "a required domain is split";
    }
    if (request.prefers_balance) {
        return "";
    }
    const std::optional<std::size_t> level = level_of_one_domain(of, most);
    // Preferred affinity counts more than the number of domains, unless one is required or the
    // least room is filled first.
    const bool picks_one = request.is_required || request.least_room_first;
    if (request.prefers_affinity && !picks_one) {
        return "";
    }
    if (level) {
        const std::string broken = broken_promise_of_one_domain(of, way, most, *level);
        if (!broken.empty()) {
            return broken;
        }
    }
    if (request.has_leader || request.least_room_first || request.prefers_affinity) {
        return "";
    }
    const std::size_t chosen_at = request.is_unconstrained ? request.level : 0;
    return broken_promise_of_fewest(of, way, most, level.value_or(chosen_at));
}

std::string text_of_tiny(const TinyCase& of) {
    const PlacementRequest& request = of.request;
    std::string text = "count " + std::to_string(request.count) + ", level " +
                       std::to_string(request.level) + ", slices of " +
                       std::to_string(request.slices.size) + " at level " +
                       std::to_string(request.slices.level);
    for (const SliceLayer& layer : request.inner_layers) {
        text += ", of " + std::to_string(layer.size) + " at level " + std::to_string(layer.level);
    }
    text += request.is_required ? ", required" : "";
    text += request.is_unconstrained ? ", unconstrained" : "";
    text += request.least_room_first ? ", least room first" : "";
    text += request.prefers_affinity ? ", prefers affinity" : "";
    text += request.prefers_balance ? ", prefers balance" : "";
    text += request.has_leader ? ", with a leader\n" : "\n";
    for (std::size_t i = 0; i < of.paths.size(); ++i) {
        for (const std::string& value : of.paths[i]) {
            text += "/" + value;
        }
        const LeafRoom& room = of.rooms[i];
        text +=
            ": " + std::to_string(room.pods) + " pods, affinity " + std::to_string(room.affinity);
        text += room.fits_leader
                    ? ", with the leader " + std::to_string(room.pods_beside_leader) + "\n"
                    : "\n";
    }
    return text;
}

void check_tiny(std::uint64_t seed) {
    Prng random(seed);
    const TinyCase of = make_tiny(random);
    const DomainTree tree(of.levels(), of.paths);
    const Placement placement = place(tree, of.request, of.rooms);
    const OneWay way = way_of(tree, placement);
    const MostSlices most = try_all_ways(of);
    const auto all = most.find({});
    const bool can_fit = of.request.is_required ? !roomy_enough(of, most, of.request.level).empty()
                                                : all != most.end() && all->second >= of.wanted();
    std::string broken;
    if (placement.fits() != can_fit) {
        broken = can_fit ? "what fits is refused" : "what does not fit is placed";
    } else if (placement.fits()) {
        broken = broken_rule(of, way);
        broken = broken.empty() ? broken_promise(of, way, most) : broken;
    }
    if (!broken.empty()) {
        std::string pods;
        for (std::size_t i = 0; i < way.pods.size(); ++i) {
            pods += " " + std::to_string(way.pods[i]) + (way.leader == i ? " and the leader" : "");
        }
        FAIL("seed " << seed << ": " << broken << "\n" << text_of_tiny(of) << "placed:" << pods);
    }
}

}  // namespace

TEST_CASE("placements in tiny topologies keep what is promised", "[engine][topology]") {
    for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
        check_tiny(seed);
    }
    SUCCEED();
}

TEST_CASE("placements in very many tiny topologies keep what is promised", "[.][long][topology]") {
    for (std::uint64_t seed = 0; seed < 300'000; ++seed) {
        check_tiny(seed + 1'000'000'000);
    }
    SUCCEED();
}

}  // namespace sluice::engine
