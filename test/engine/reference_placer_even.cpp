#include "engine/reference_placer_parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

// Even placement: section 6.7.
namespace sluice::reference {
namespace {

void forget_leader_room(PlacerDomain& domain) {
    domain.pods_with_leader = 0;
    domain.slices_with_leader = 0;
    domain.leaders = 0;
    for (PlacerDomain& child : domain.children) {
        forget_leader_room(child);
    }
}

void forget_room(PlacerDomain& domain) {
    domain.pods = 0;
    domain.slices = 0;
    domain.pods_with_leader = 0;
    domain.slices_with_leader = 0;
    domain.leaders = 0;
    for (PlacerDomain& child : domain.children) {
        forget_room(child);
    }
}

/// How evenly the pods that fit are spread over a domain's children, in bits. Summed from the
/// smallest part up, so that the same parts make the same sum to the last bit.
double spread_of_room(const PlacerDomain& domain) {
    std::vector<std::int64_t> parts;
    std::int64_t total = 0;
    for (const PlacerDomain& child : domain.children) {
        parts.push_back(child.pods);
        total += child.pods;
    }
    std::sort(parts.begin(), parts.end());
    double entropy = 0;
    for (const std::int64_t pods : parts) {
        if (pods > 0) {
            const double part = double(pods) / double(total);
            entropy -= part * std::log2(part);
        }
    }
    return entropy;
}

}  // namespace

/// The domains that the leader and all slices need, if they fit, the roomiest first.
std::optional<GreedyWalk> SlowPlacer::walk(const PlacerDomains& domains) const {
    GreedyWalk result;
    std::int64_t missing = wanted_;
    PlacerDomains rest = domains;
    if (leaders_ > 0) {
        rest = order_for_leader(rest, false);
        if (rest.empty() || rest.front().leaders == 0) {
            return std::nullopt;
        }
        result.domains = 1;
        result.last_leader = rest.front();
        missing -= rest.front().slices_with_leader;
        rest.erase(rest.begin());
    }
    for (const PlacerDomain& domain : order(rest, false)) {
        if (missing <= 0 || domain.slices == 0) {
            break;
        }
        ++result.domains;
        result.last_worker = domain;
        missing -= domain.slices;
    }
    if (missing > 0) {
        return std::nullopt;
    }
    return result;
}

void SlowPlacer::drop_if_below(PlacerDomain& domain, std::int64_t threshold) const {
    if (domain.slices < threshold) {
        forget_room(domain);
    } else if (domain.leaders > 0 && domain.slices_with_leader < threshold) {
        forget_leader_room(domain);
    }
}

/// Siblings of the requested level, without the room of those with too little.
PlacerDomains SlowPlacer::without_small(PlacerDomains siblings, std::int64_t threshold) const {
    const std::vector<std::int64_t> no_inner_sizes(levels_, 0);
    for (PlacerDomain& domain : siblings) {
        for (PlacerDomain& child : domain.children) {
            drop_if_below(child, threshold);
        }
        count(domain, request_.level, no_inner_sizes);
        drop_if_below(domain, threshold);
    }
    return siblings;
}

/// The best even choice among siblings; of a threshold of 0 if they allow for none.
EvenChoice SlowPlacer::even_choice_of(const PlacerDomains& siblings, std::int64_t least) const {
    const bool looks_below = request_.level < request_.slices.level;
    const std::optional<GreedyWalk> needed =
        walk(looks_below ? children_of_all(siblings) : siblings);
    if (!needed || needed->domains == 0) {
        return {};
    }
    std::int64_t threshold = wanted_ / needed->domains;
    if (needed->last_leader) {
        threshold = std::min(threshold, needed->last_leader->slices_with_leader);
    }
    std::int64_t for_leader = threshold;
    if (needed->last_worker) {
        threshold = std::min(threshold, needed->last_worker->slices);
        for_leader = std::min(threshold, needed->last_worker->slices_with_leader);
    }
    if (leaders_ == 0) {
        for_leader = threshold;
    }
    for (const std::int64_t tried : std::set<std::int64_t, std::greater<>>{threshold, for_leader}) {
        if (tried <= 0 || tried < least) {
            break;
        }
        const PlacerDomains left = without_small(siblings, tried);
        if (const std::optional<GreedyWalk> used = walk(left)) {
            return {.domains = left, .threshold = tried, .used = used->domains};
        }
    }
    return {};
}

/// As many domains as the greedy walk needs, with the least room to spare. They are tried in
/// the order given, and of equal sets the first one stays.
PlacerDomains SlowPlacer::tightest(const PlacerDomains& ordered) const {
    const std::optional<GreedyWalk> needed = walk(ordered);
    if (!needed) {
        return {};
    }
    using Missing = std::pair<std::int64_t, std::int64_t>;  // leaders, pods
    std::vector<std::map<Missing, PlacerDomains>> sets(std::size_t(needed->domains) + 1);
    sets[0][{leaders_, wanted_ * request_.slices.size}] = {};
    for (const PlacerDomain& domain : ordered) {
        for (std::size_t size = sets.size() - 1; size > 0; --size) {
            for (const auto& [missing, set] : sets[size - 1]) {
                const auto& [leaders, pods] = missing;
                if (leaders <= 0 && pods <= 0) {
                    continue;
                }
                PlacerDomains larger = set;
                larger.push_back(domain);
                if (leaders > 0 && domain.leaders > 0) {
                    sets[size].try_emplace(
                        {leaders - domain.leaders, pods - domain.pods_with_leader}, larger
                    );
                }
                if (domain.slices > 0) {
                    sets[size].try_emplace({leaders, pods - domain.pods}, larger);
                }
            }
        }
    }
    PlacerDomains best;
    for (const auto& [missing, set] : sets.back()) {
        if (missing.first == 0 && missing.second <= 0) {
            best = set;  // the last one has the least to spare
        }
    }
    return best;
}

/// Gives each domain the threshold and as much of the rest as it has room for.
std::optional<PlacerDomains> SlowPlacer::spread(
    const PlacerDomains& domains, std::int64_t threshold
) const {
    PlacerDomains result = domains;
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
        return a.path < b.path;
    });
    result = order_for_leader(tightest(result), false);
    std::int64_t extra = wanted_ - std::int64_t(result.size()) * threshold;
    if (result.empty() || extra < 0) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
        PlacerDomain& domain = result[i];
        domain.leaders = i == 0 ? leaders_ : 0;
        const std::int64_t room = room_of(domain, PlacerUnit::Slices, domain.leaders > 0);
        const std::int64_t more = std::min(room - threshold, extra);
        extra -= more;
        domain.slices = threshold + more;
        domain.slices_with_leader = domain.slices;
        domain.pods = domain.slices * request_.slices.size;
        domain.pods_with_leader = domain.pods - domain.leaders;
    }
    if (extra > 0) {
        return std::nullopt;
    }
    return result;
}

std::optional<PlacerChoice> SlowPlacer::choose_evenly() const {
    std::vector<PlacerDomains> sets = {tops_};
    if (request_.level > 0) {
        sets.clear();
        for (const PlacerDomain& parent : domains_of_level(tops_, request_.level - 1)) {
            sets.push_back(parent.children);
        }
    }
    EvenChoice best;
    for (const PlacerDomains& siblings : sets) {
        const EvenChoice choice = even_choice_of(siblings, best.threshold);
        if (choice.threshold > best.threshold ||
            (choice.threshold == best.threshold && choice.used < best.used)) {
            best = choice;
        }
    }
    if (best.threshold == 0) {
        return std::nullopt;
    }
    std::size_t level = request_.level;
    if (level < request_.slices.level) {
        best.domains = children_of_all(tightest(most_spread_first(best.domains)));
        ++level;
    }
    const std::optional<PlacerDomains> domains = spread(best.domains, best.threshold);
    if (!domains) {
        return std::nullopt;
    }
    return PlacerChoice{.level = level, .domains = *domains, .fitting = std::nullopt};
}

PlacerDomains SlowPlacer::most_spread_first(PlacerDomains domains) {
    std::sort(domains.begin(), domains.end(), [](const auto& a, const auto& b) {
        if (a.leaders != b.leaders) {
            return a.leaders > b.leaders;
        }
        if (a.slices_with_leader != b.slices_with_leader) {
            return a.slices_with_leader > b.slices_with_leader;
        }
        const double spread_a = spread_of_room(a);
        const double spread_b = spread_of_room(b);
        return spread_a != spread_b ? spread_a > spread_b : a.path < b.path;
    });
    return domains;
}

}  // namespace sluice::reference
