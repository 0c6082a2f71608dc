#include "engine/topology/balanced_placement.hpp"

#include "engine/topology/domain_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace sluice::engine {
namespace {

using Domains = std::vector<DomainIndex>;

/// One search for balanced domains. `counts_` are pruned in the course of it.
class Balancer {
  public:
    Balancer(
        const DomainTree& tree,
        const PlacementRequest& request,
        const std::vector<DomainCounts>& counts
    )
        : tree_(tree),
          request_(request),
          original_(counts),
          counts_(counts),
          order_(request, counts_),
          slices_(request.count / request.slices.size),
          leaders_(request.has_leader ? 1 : 0) {}

    std::optional<BalancedDomains> run();

  private:
    /// The domains that are used if the roomiest are filled first.
    struct Greedy {
        std::int64_t used = 0;
        DomainIndex last;         ///< the last without the leader
        DomainIndex last_leader;  ///< the one with the leader
    };
    /// A choice of siblings: the slices that each gets at least, and the domains it needs.
    struct Siblings {
        std::int64_t threshold = 0;
        std::int64_t used = 0;
        Domains domains;
    };

    std::optional<Greedy> fill_greedily(Domains domains) const;
    std::int64_t threshold_of(const Greedy& greedy) const;
    std::optional<Siblings> prune(const Domains& siblings, std::int64_t threshold);
    void prune_domain(DomainIndex domain, std::int64_t threshold);
    std::optional<Siblings> try_siblings(const Domains& siblings, std::int64_t best);
    Siblings best_siblings();

    std::optional<Domains> smallest_set(const Domains& ordered) const;
    void sort_by_evenness(Domains& domains) const;
    double evenness_of(DomainIndex domain) const;
    std::optional<Domains> spread(Domains domains, std::int64_t threshold);

    Domains children_of(const Domains& domains) const;
    template <class Change>
    void change_below(DomainIndex domain, const Change& change);
    DomainCounts& counts(DomainIndex domain) { return counts_[domain.at()]; }
    const DomainCounts& counts(DomainIndex domain) const { return counts_[domain.at()]; }

    const DomainTree& tree_;
    const PlacementRequest& request_;
    const std::vector<DomainCounts>& original_;
    std::vector<DomainCounts> counts_;
    DomainOrder order_;
    std::int64_t slices_;
    std::int64_t leaders_;
};

Domains Balancer::children_of(const Domains& domains) const {
    Domains children;
    for (const DomainIndex domain : domains) {
        const Domains own = list(tree_.children(domain));
        children.insert(children.end(), own.begin(), own.end());
    }
    return children;
}

template <class Change>
void Balancer::change_below(DomainIndex domain, const Change& change) {
    change(domain);
    for (const DomainIndex child : list(tree_.children(domain))) {
        change_below(child, change);
    }
}

/// Returns nullopt if the domains have no room for all slices and the leader.
std::optional<Balancer::Greedy> Balancer::fill_greedily(Domains domains) const {
    Greedy greedy;
    std::int64_t slices = slices_;
    std::int64_t leaders = leaders_;
    std::size_t at = 0;
    if (leaders > 0) {
        order_.sort_with_leader(domains);
        for (; leaders > 0 && at < domains.size() && counts(domains[at]).leaders > 0; ++at) {
            ++greedy.used;
            greedy.last_leader = domains[at];
            leaders -= counts(domains[at]).leaders;
            slices -= counts(domains[at]).slices_with_leader;
        }
        domains.erase(domains.begin(), domains.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (leaders > 0) {
        return std::nullopt;
    }
    order_.sort(domains);
    for (at = 0; slices > 0 && at < domains.size() && counts(domains[at]).slices > 0; ++at) {
        ++greedy.used;
        greedy.last = domains[at];
        slices -= counts(domains[at]).slices;
    }
    return slices > 0 ? std::nullopt : std::optional(greedy);
}

/// Returns the most slices that each of so many domains could get.
std::int64_t Balancer::threshold_of(const Greedy& greedy) const {
    std::int64_t threshold = slices_ / greedy.used;
    if (greedy.last_leader.is_valid()) {
        threshold = std::min(threshold, counts(greedy.last_leader).slices_with_leader);
    }
    if (greedy.last.is_valid()) {
        threshold = std::min(threshold, counts(greedy.last).slices);
    }
    return threshold;
}

/// Empties a domain that cannot get so many slices, or takes its places for the leader if it cannot
/// get as many next to it.
void Balancer::prune_domain(DomainIndex domain, std::int64_t threshold) {
    const DomainCounts& of = counts(domain);
    if (of.slices < threshold) {
        change_below(domain, [this](DomainIndex below) {
            counts(below) = DomainCounts{.affinity = counts(below).affinity};
        });
    } else if (leaders_ > 0 && of.leaders > 0 && of.slices_with_leader < threshold) {
        change_below(domain, [this](DomainIndex below) {
            counts(below).pods_with_leader = 0;
            counts(below).slices_with_leader = 0;
            counts(below).leaders = 0;
        });
    }
}

/// Prunes the siblings and their children. Returns nullopt if the rest has no room.
std::optional<Balancer::Siblings> Balancer::prune(const Domains& siblings, std::int64_t threshold) {
    for (const DomainIndex domain : siblings) {
        for (const DomainIndex child : list(tree_.children(domain))) {
            prune_domain(child, threshold);
        }
    }
    for (const DomainIndex domain : siblings) {
        recount_domain(tree_, request_, request_.level, domain, counts_);
        prune_domain(domain, threshold);
    }
    const auto greedy = fill_greedily(siblings);
    if (!greedy) {
        return std::nullopt;
    }
    return Siblings{.threshold = threshold, .used = greedy->used, .domains = siblings};
}

/// Returns nullopt if no threshold of at least `best` works below these siblings.
std::optional<Balancer::Siblings> Balancer::try_siblings(
    const Domains& siblings, std::int64_t best
) {
    const bool is_above_slices = request_.level < request_.slices.level;
    const auto greedy = fill_greedily(is_above_slices ? children_of(siblings) : siblings);
    if (!greedy) {
        return std::nullopt;
    }
    const std::int64_t threshold = threshold_of(*greedy);
    std::int64_t with_leader = threshold;
    if (leaders_ > 0 && greedy->last.is_valid()) {
        with_leader = std::min(threshold, counts(greedy->last).slices_with_leader);
    }
    if (threshold < best) {
        return std::nullopt;
    }
    auto found = prune(siblings, threshold);
    if (!found && with_leader < threshold && with_leader > 0 && with_leader >= best) {
        for (const DomainIndex domain : siblings) {
            change_below(domain, [this](DomainIndex below) {
                counts(below) = original_[below.at()];
            });
        }
        found = prune(siblings, with_leader);
    }
    return found;
}

Balancer::Siblings Balancer::best_siblings() {
    std::vector<Domains> sets;
    if (request_.level == 0) {
        sets.push_back(list(tree_.at_level(0)));
    } else {
        for (const DomainIndex parent : list(tree_.at_level(request_.level - 1))) {
            sets.push_back(list(tree_.children(parent)));
        }
    }
    Siblings best;
    for (const Domains& siblings : sets) {
        auto found = try_siblings(siblings, best.threshold);
        if (found &&
            std::pair(-found->threshold, found->used) < std::pair(-best.threshold, best.used)) {
            best = std::move(*found);
        }
    }
    return best;
}

/// Returns how evenly the pods of a domain are spread over its children: the entropy in bits.
double Balancer::evenness_of(DomainIndex domain) const {
    std::vector<std::int64_t> pods;
    for (const DomainIndex child : list(tree_.children(domain))) {
        if (counts(child).pods > 0) {
            pods.push_back(counts(child).pods);
        }
    }
    // In one order, so that children with the same numbers give the same sum to the last bit.
    std::sort(pods.begin(), pods.end());
    const auto total =
        static_cast<double>(std::accumulate(pods.begin(), pods.end(), std::int64_t{0}));
    double entropy = 0;
    for (const std::int64_t of : pods) {
        const double part = static_cast<double>(of) / total;
        entropy -= part * std::log2(part);
    }
    return entropy;
}

void Balancer::sort_by_evenness(Domains& domains) const {
    std::vector<std::tuple<std::int64_t, std::int64_t, double, DomainIndex>> keys;
    for (const DomainIndex domain : domains) {
        const DomainCounts& of = counts(domain);
        keys.emplace_back(-of.leaders, -of.slices_with_leader, -evenness_of(domain), domain);
    }
    std::sort(keys.begin(), keys.end());
    std::transform(keys.begin(), keys.end(), domains.begin(), [](const auto& key) {
        return std::get<DomainIndex>(key);
    });
}

/// Returns the set with the least room of as few domains as greedy filling needs; among equals the
/// first in the given order. Returns nullopt if no set of so many has room.
std::optional<Domains> Balancer::smallest_set(const Domains& ordered) const {
    const auto greedy = fill_greedily(ordered);
    if (!greedy) {
        return std::nullopt;
    }
    struct Step {
        DomainIndex domain;
        const Step* before = nullptr;
    };
    // By number of domains: the last step to each number of leaders and pods that are left.
    using Left = std::pair<std::int64_t, std::int64_t>;
    std::vector<std::map<Left, const Step*>> reached(static_cast<std::size_t>(greedy->used) + 1);
    std::deque<Step> steps;
    reached[0][{leaders_, slices_ * request_.slices.size}] = nullptr;
    for (const DomainIndex domain : ordered) {
        const DomainCounts& of = counts(domain);
        for (std::size_t used = reached.size() - 1; used > 0; --used) {
            for (const auto& [left, last_step] : reached[used - 1]) {
                const auto [leaders, pods] = left;
                if (leaders <= 0 && pods <= 0) {
                    continue;
                }
                const auto reach = [&, before = last_step](Left next) {
                    const auto [at, is_new] = reached[used].try_emplace(next, nullptr);
                    if (is_new) {
                        at->second = &steps.emplace_back(Step{.domain = domain, .before = before});
                    }
                };
                if (leaders > 0 && of.leaders > 0) {
                    reach({leaders - of.leaders, pods - of.pods_with_leader});
                }
                if (of.slices > 0) {
                    reach({leaders, pods - of.pods});
                }
            }
        }
    }
    // The last state without leaders whose pods are all placed.
    const auto& last = reached.back();
    const auto beyond = last.upper_bound({0, 0});
    if (beyond == last.begin() || std::prev(beyond)->first.first != 0) {
        return std::nullopt;
    }
    Domains chosen;
    for (const Step* step = std::prev(beyond)->second; step != nullptr; step = step->before) {
        chosen.push_back(step->domain);
    }
    return chosen;
}

/// Gives each domain of the smallest set the threshold, and the first ones what is left.
std::optional<Domains> Balancer::spread(Domains domains, std::int64_t threshold) {
    std::sort(domains.begin(), domains.end());
    auto chosen = smallest_set(domains);
    const auto used = static_cast<std::int64_t>(chosen ? chosen->size() : 0);
    if (!chosen || slices_ < used * threshold) {
        return std::nullopt;
    }
    order_.sort_with_leader(*chosen);
    std::int64_t extra = slices_ - used * threshold;
    std::int64_t leaders = leaders_;
    for (const DomainIndex domain : *chosen) {
        DomainCounts& of = counts(domain);
        const std::int64_t room = leaders > 0 ? of.slices_with_leader : of.slices;
        const std::int64_t more = leaders > 0 || extra > 0 ? std::min(room - threshold, extra) : 0;
        of.set_placed(threshold + more, request_.slices.size, leaders > 0 ? 1 : 0);
        of.slices_with_leader = of.slices;
        of.pods_with_leader = of.pods - of.leaders;
        leaders -= of.leaders;
        extra -= more;
    }
    return extra > 0 || leaders > 0 ? std::nullopt : chosen;
}

std::optional<BalancedDomains> Balancer::run() {
    if (slices_ == 0) {
        return std::nullopt;
    }
    Siblings best = best_siblings();
    if (best.threshold == 0) {
        return std::nullopt;
    }
    std::size_t level = request_.level;
    if (level < request_.slices.level) {
        sort_by_evenness(best.domains);
        const auto chosen = smallest_set(best.domains);
        if (!chosen) {
            return std::nullopt;
        }
        best.domains = children_of(*chosen);
        ++level;
    }
    auto spread_over = spread(std::move(best.domains), best.threshold);
    if (!spread_over) {
        return std::nullopt;
    }
    return BalancedDomains{
        .level = level, .domains = std::move(*spread_over), .counts = std::move(counts_)
    };
}

}  // namespace

std::optional<BalancedDomains> balance(
    const DomainTree& tree, const PlacementRequest& request, const std::vector<DomainCounts>& counts
) {
    return Balancer(tree, request, counts).run();
}

}  // namespace sluice::engine
