#include "engine/topology/placement.hpp"

#include "engine/topology/balanced_placement.hpp"
#include "engine/topology/domain_counts.hpp"
#include "engine/topology/domain_order.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace sluice::engine {
namespace {

using Domains = std::vector<DomainIndex>;

/// One placement: `counts_` have what fits, and get what is placed.
class Placer {
  public:
    Placer(
        const DomainTree& tree, const PlacementRequest& request, std::vector<DomainCounts>& counts
    )
        : tree_(tree),
          request_(request),
          inner_sizes_(inner_sizes(tree, request)),
          counts_(counts),
          order_(request, counts_),
          slices_(request.count / request.slices.size),
          leaders_(request.has_leader ? 1 : 0) {}
    Placer(const Placer&) = delete;
    Placer& operator=(const Placer&) = delete;
    ~Placer() {
        for (auto changed = changed_.rbegin(); changed != changed_.rend(); ++changed) {
            counts_[changed->first.at()] = changed->second;
        }
    }

    Placement place();
    /// Returns nullopt if balanced domains cannot hold all pods. Replaces the counts.
    std::optional<Placement> place_balanced();

  private:
    /// Domains that hold all slices together, and their level. Empty if the slices do not fit.
    struct Choice {
        std::size_t level = 0;
        Domains domains;
    };
    /// Pods and leaders that are not placed yet.
    struct Rest {
        std::int64_t amount = 0;
        std::int64_t leaders = 0;
    };

    const DomainCounts& counts(DomainIndex domain) const { return counts_[domain.at()]; }
    /// Returns the counts for changes, which end with this object.
    DomainCounts& write(DomainIndex domain) {
        DomainCounts& of = counts_[domain.at()];
        changed_.emplace_back(domain, of);
        return of;
    }

    Choice choose(Placement& result);
    std::optional<DomainIndex> single_domain(DomainRange level) const;
    DomainOrder::Key first_key(DomainRange level) const;
    /// Returns the number that a message shows if no domain of a required level has room.
    std::int64_t most_fitting(DomainRange level) const;
    Domains several_domains(Domains sorted, std::size_t level, Placement& result);
    PlacementShortage shortage_of(std::int64_t fitting, std::size_t level) const;
    std::int64_t fitting_below(DomainIndex domain, std::size_t level, const SliceLayer& layer)
        const;

    void descend(Choice& choice);
    Domains descend_to_children(DomainIndex parent, std::size_t child_level);
    Domains fill(Domains domains, Rest rest, std::int64_t size, PlacementUnit unit);
    bool fill_with_leader(
        DomainIndex& domain,
        std::span<const DomainIndex> candidates,
        Rest& rest,
        std::int64_t size,
        PlacementUnit unit
    );
    void move_leader_first(Domains& domains, Rest wanted, PlacementUnit unit) const;
    DomainIndex best_fit(std::span<const DomainIndex> candidates, Rest wanted, PlacementUnit unit)
        const;

    Rest all() const { return {.amount = slices_, .leaders = leaders_}; }
    std::vector<PlacedPods> placed(Domains leaves) const;
    bool fits(const DomainCounts& domain) const {
        return domain.slices_with_leader >= slices_ && domain.leaders >= leaders_;
    }

    const DomainTree& tree_;
    const PlacementRequest& request_;
    std::vector<std::int64_t> inner_sizes_;
    std::vector<DomainCounts>& counts_;
    std::vector<std::pair<DomainIndex, DomainCounts>> changed_;  // as they were
    DomainOrder order_;
    std::int64_t slices_;
    std::int64_t leaders_;
    bool is_balanced_ = false;
    bool is_complete_ = true;  // every domain passed all that it holds on to its children
};

/// Returns the candidate with the least sufficient room, the first of equals. Returns the first
/// candidate if none has room.
DomainIndex Placer::best_fit(
    std::span<const DomainIndex> candidates, Rest wanted, PlacementUnit unit
) const {
    DomainIndex best = candidates.front();
    std::int64_t room_of_best = std::numeric_limits<std::int64_t>::max();
    for (const DomainIndex candidate : candidates) {
        const DomainCounts& of = counts(candidate);
        if (request_.prefers_affinity && of.affinity != counts(candidates.front()).affinity) {
            break;  // the candidates are sorted by affinity
        }
        const std::int64_t room = wanted.leaders > 0 ? of.with_leader_of(unit) : of.of(unit);
        if (of.leaders >= wanted.leaders && room >= wanted.amount && room < room_of_best) {
            best = candidate;
            room_of_best = room;
        }
    }
    return best;
}

/// Moves the first domain to the front that has a place for the leader and leaves enough room in
/// all domains together.
void Placer::move_leader_first(Domains& domains, Rest wanted, PlacementUnit unit) const {
    if (wanted.leaders == 0) {
        return;
    }
    std::int64_t room = 0;
    for (const DomainIndex domain : domains) {
        room += counts(domain).of(unit);
    }
    const auto leads = [&](DomainIndex domain) {
        const DomainCounts& of = counts(domain);
        const std::int64_t lost = of.of(unit) - of.with_leader_of(unit);
        return of.leaders >= wanted.leaders && room - lost >= wanted.amount;
    };
    const auto leading = std::find_if(domains.begin(), domains.end(), leads);
    if (leading != domains.end()) {
        std::rotate(domains.begin(), leading, leading + 1);
    }
}

PlacementShortage Placer::shortage_of(std::int64_t fitting, std::size_t level) const {
    PlacementShortage shortage{.fitting = fitting, .wanted = slices_, .fitting_by_layer = {}};
    if (request_.inner_layers.empty()) {
        return shortage;
    }
    Domains domains = list(tree_.at_level(level));
    const auto most =
        std::max_element(domains.begin(), domains.end(), [this](DomainIndex a, DomainIndex b) {
            return counts(a).slices < counts(b).slices;
        });
    shortage.fitting_by_layer.push_back(fitting_below(*most, level, request_.slices));
    for (const SliceLayer& layer : request_.inner_layers) {
        shortage.fitting_by_layer.push_back(fitting_below(*most, level, layer));
    }
    return shortage;
}

std::int64_t Placer::fitting_below(DomainIndex domain, std::size_t level, const SliceLayer& layer)
    const {
    if (level == layer.level) {
        return counts(domain).pods / layer.size;
    }
    std::int64_t sum = 0;
    for (const DomainIndex child : list(tree_.children(domain))) {
        sum += fitting_below(child, level + 1, layer);
    }
    return sum;
}

/// Returns the one domain that all slices get; nullopt if none of the level has room.
std::optional<DomainIndex> Placer::single_domain(DomainRange level) const {
    if (request_.least_room_first) {
        std::optional<DomainOrder::Key> first;
        for (std::uint32_t at = level.first; at < level.last; ++at) {
            if (fits(counts_[at])) {
                const DomainOrder::Key key = order_.key_with_leader_of(DomainIndex{at});
                first = first ? std::min(*first, key) : key;
            }
        }
        return first ? std::optional(first->domain) : std::nullopt;
    }
    if (request_.is_required && request_.prefers_affinity) {
        // The preferred domains may be too small.
        Domains sorted = list(level);
        order_.sort_with_leader(sorted);
        const auto first = std::find_if(sorted.begin(), sorted.end(), [this](DomainIndex domain) {
            return fits(counts(domain));
        });
        return first == sorted.end()
                   ? std::nullopt
                   : std::optional(best_fit({first, sorted.end()}, all(), PlacementUnit::Slices));
    }
    const DomainOrder::Key first = first_key(level);
    if (!fits(counts(first.domain))) {
        return std::nullopt;  // no domain has more room
    }
    DomainOrder::Key best = first;
    for (std::uint32_t at = level.first; at < level.last; ++at) {
        const DomainOrder::Key key = order_.key_with_leader_of(DomainIndex{at});
        const auto is_closer = [](const DomainOrder::Key& a, const DomainOrder::Key& b) {
            return std::tuple(-a.slices, a) < std::tuple(-b.slices, b);
        };
        if (fits(counts_[at]) && key.affinity == first.affinity && is_closer(key, best)) {
            best = key;
        }
    }
    return best.domain;
}

DomainOrder::Key Placer::first_key(DomainRange level) const {
    DomainOrder::Key first = order_.key_with_leader_of(DomainIndex{level.first});
    for (std::uint32_t at = level.first + 1; at < level.last; ++at) {
        first = std::min(first, order_.key_with_leader_of(DomainIndex{at}));
    }
    return first;
}

std::int64_t Placer::most_fitting(DomainRange level) const {
    if (!request_.least_room_first) {
        return counts(first_key(level).domain).slices;
    }
    DomainOrder::Key last = order_.key_with_leader_of(DomainIndex{level.first});
    for (std::uint32_t at = level.first + 1; at < level.last; ++at) {
        last = std::max(last, order_.key_with_leader_of(DomainIndex{at}));
    }
    return counts(last.domain).pods;
}

/// Returns domains of one level that hold the slices together, the leader's first.
Domains Placer::several_domains(Domains sorted, std::size_t level, Placement& result) {
    Rest rest = all();
    move_leader_first(sorted, rest, PlacementUnit::Slices);
    Domains chosen;
    std::size_t at = 0;
    for (; rest.leaders > 0 && at < sorted.size() && counts(sorted[at]).leaders > 0; ++at) {
        DomainIndex domain = sorted[at];
        if (!request_.least_room_first && counts(domain).slices_with_leader >= rest.amount) {
            domain = best_fit(std::span(sorted).subspan(at), rest, PlacementUnit::Slices);
        }
        chosen.push_back(domain);
        rest.leaders -= counts(domain).leaders;
        rest.amount -= counts(domain).slices_with_leader;
    }
    if (rest.leaders > 0) {
        result.shortage = shortage_of(leaders_ - rest.leaders, level);
        return {};
    }
    sorted.erase(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at));
    order_.sort(sorted);
    for (at = 0; rest.amount > 0 && at < sorted.size(); ++at) {
        DomainIndex domain = sorted[at];
        if (!request_.least_room_first && counts(domain).slices >= rest.amount) {
            domain = best_fit(
                std::span(sorted).subspan(at), {.amount = rest.amount}, PlacementUnit::Slices
            );
        }
        chosen.push_back(domain);
        rest.amount -= counts(domain).slices;
    }
    if (rest.amount > 0) {
        result.shortage = shortage_of(slices_ - rest.amount, level);
        return {};
    }
    return chosen;
}

/// Chooses the domains, at the requested level or, if the request allows it, at coarser levels.
Placer::Choice Placer::choose(Placement& result) {
    for (std::size_t level = request_.level;; --level) {
        const DomainRange domains = tree_.at_level(level);
        if (const auto domain = single_domain(domains)) {
            return {.level = level, .domains = {*domain}};
        }
        if (request_.is_required) {
            result.shortage = shortage_of(most_fitting(domains), level);
            return {};
        }
        if (level == 0 || request_.is_unconstrained) {
            Domains sorted = list(domains);
            order_.sort_with_leader(sorted);
            return {.level = level, .domains = several_domains(std::move(sorted), level, result)};
        }
    }
}

/// Places what is left in the domain, or in a later candidate that fits better, with leaders.
/// Returns true if nothing is left then.
bool Placer::fill_with_leader(
    DomainIndex& domain,
    std::span<const DomainIndex> candidates,
    Rest& rest,
    std::int64_t size,
    PlacementUnit unit
) {
    const auto holds_rest = [&](DomainIndex of) {
        return counts(of).with_leader_of(unit) >= rest.amount && counts(of).leaders >= rest.leaders;
    };
    if (!request_.least_room_first && holds_rest(domain)) {
        domain = best_fit(candidates, rest, unit);
    }
    const bool is_last = holds_rest(domain);
    DomainCounts& of = write(domain);
    const std::int64_t taken = std::min(of.with_leader_of(unit), rest.amount);
    of.set_placed(taken, size, std::min(of.leaders, rest.leaders));
    rest.leaders -= of.leaders;
    rest.amount -= taken;
    return is_last;
}

/// Places units of `size` pods in the domains, in their order, and returns those that get any.
Domains Placer::fill(Domains domains, Rest rest, std::int64_t size, PlacementUnit unit) {
    move_leader_first(domains, rest, unit);
    Domains filled;
    for (std::size_t at = 0; at < domains.size(); ++at) {
        DomainIndex domain = domains[at];
        const auto candidates = std::span<const DomainIndex>(domains).subspan(at);
        if (rest.leaders > 0) {
            const bool is_last = fill_with_leader(domain, candidates, rest, size, unit);
            filled.push_back(domain);
            if (is_last) {
                break;
            }
            continue;
        }
        if (!request_.least_room_first && counts(domain).of(unit) >= rest.amount) {
            domain = best_fit(candidates, {.amount = rest.amount}, unit);
        }
        DomainCounts& of = write(domain);
        const std::int64_t taken = std::min(of.of(unit), rest.amount);
        const bool is_last = of.of(unit) >= rest.amount;
        of.set_placed(taken, size, 0);
        rest.amount -= taken;
        filled.push_back(domain);
        if (is_last) {
            break;
        }
    }
    is_complete_ = is_complete_ && rest.amount == 0 && rest.leaders == 0;
    return filled;
}

/// Distributes the pods of a domain among its children, in whole slices above their level.
Domains Placer::descend_to_children(DomainIndex parent, std::size_t child_level) {
    Domains children = list(tree_.children(parent));
    order_.sort(children);
    const Rest rest{.amount = counts(parent).pods, .leaders = counts(parent).leaders};
    const bool is_in_slices = child_level > request_.slices.level;
    const std::int64_t size =
        is_in_slices ? std::max<std::int64_t>(1, inner_sizes_[child_level]) : request_.slices.size;
    if (size == 1) {
        return fill(std::move(children), rest, 1, PlacementUnit::Pods);
    }
    for (const DomainIndex child : children) {
        DomainCounts& of = write(child);
        of.slices = of.pods / size;
        of.slices_with_leader = of.pods_with_leader / size;
    }
    return fill(
        std::move(children),
        {.amount = rest.amount / size, .leaders = rest.leaders},
        size,
        PlacementUnit::Slices
    );
}

/// Goes down to the leaves. Above the level of the slices the children of all domains are filled
/// together, so that they are few; from there on, or if they are balanced, each domain keeps the
/// pods that it has.
void Placer::descend(Choice& choice) {
    const std::int64_t size = request_.slices.size;
    choice.domains = fill(std::move(choice.domains), all(), size, PlacementUnit::Slices);
    for (; choice.level < request_.slices.level && !is_balanced_; ++choice.level) {
        Domains below;
        for (const DomainIndex domain : choice.domains) {
            const Domains children = list(tree_.children(domain));
            below.insert(below.end(), children.begin(), children.end());
        }
        order_.sort(below);
        choice.domains = fill(std::move(below), all(), size, PlacementUnit::Slices);
    }
    for (; choice.level < tree_.lowest_level(); ++choice.level) {
        Domains below;
        for (const DomainIndex domain : choice.domains) {
            const Domains filled = descend_to_children(domain, choice.level + 1);
            below.insert(below.end(), filled.begin(), filled.end());
        }
        choice.domains = std::move(below);
    }
}

/// Returns the leaves that got pods or the leader, in the order of their paths.
std::vector<PlacedPods> Placer::placed(Domains leaves) const {
    std::vector<PlacedPods> placed;
    std::sort(leaves.begin(), leaves.end());
    for (const DomainIndex leaf : leaves) {
        const DomainCounts& of = counts(leaf);
        if (of.pods > 0 || of.leaders > 0) {
            placed.push_back({.leaf = leaf, .count = of.pods, .with_leader = of.leaders > 0});
        }
    }
    return placed;
}

Placement Placer::place() {
    Placement result;
    Choice choice = choose(result);
    if (!result.fits()) {
        return result;
    }
    const std::size_t chosen_level = choice.level;
    descend(choice);
    if (is_complete_) {
        result.leaves = placed(std::move(choice.domains));
    } else {
        result.shortage = shortage_of(0, chosen_level);
    }
    return result;
}

std::optional<Placement> Placer::place_balanced() {
    auto balanced = balance(tree_, request_, counts_);
    if (!balanced) {
        return std::nullopt;
    }
    counts_ = std::move(balanced->counts);
    is_balanced_ = true;
    Choice choice{.level = balanced->level, .domains = std::move(balanced->domains)};
    descend(choice);
    if (!is_complete_) {
        return std::nullopt;  // inner slices do not fit so
    }
    return Placement{.leaves = placed(std::move(choice.domains)), .shortage = std::nullopt};
}

}  // namespace

Placement place(
    const DomainTree& tree, const PlacementRequest& request, std::vector<DomainCounts>& counts
) {
    if (request.prefers_balance && !request.is_required && !request.is_unconstrained) {
        std::vector<DomainCounts> own = counts;
        if (auto balanced = Placer(tree, request, own).place_balanced()) {
            return std::move(*balanced);
        }
    }
    return Placer(tree, request, counts).place();
}

Placement place(
    const DomainTree& tree, const PlacementRequest& request, std::span<const LeafRoom> rooms
) {
    std::vector<DomainCounts> counts = count_domains(tree, request, rooms);
    return place(tree, request, counts);
}

}  // namespace sluice::engine
