// The parts of the slow placer. Domains are values: a chosen domain is a copy with all below it.
#pragma once

#include "engine/reference_placer.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::reference {

/// A domain with its counts: first of the pods that fit, then of those that are placed.
struct PlacerDomain {
    std::vector<std::string> path;
    std::int64_t pods = 0;
    std::int64_t pods_with_leader = 0;
    std::int64_t slices = 0;
    std::int64_t slices_with_leader = 0;
    std::int64_t leaders = 0;
    std::int64_t affinity = 0;
    std::vector<PlacerDomain> children;
};
/// Domains of one level, in the order in which they are tried.
using PlacerDomains = std::vector<PlacerDomain>;

/// Domains of one level that hold all pods; or the number of slices that would have fitted.
struct PlacerChoice {
    std::size_t level = 0;
    PlacerDomains domains;
    std::optional<std::int64_t> fitting;
};

/// Pods are counted in whole slices or one by one.
enum class PlacerUnit : std::uint8_t { Slices, Pods };

/// The units that fit in the domain.
std::int64_t room_of(const PlacerDomain& domain, PlacerUnit unit, bool with_leader);
/// The children of all these domains together.
PlacerDomains children_of_all(const PlacerDomains& parents);
/// The domains that are so many levels below.
PlacerDomains domains_of_level(const PlacerDomains& tops, std::size_t level);

/// The result of a greedy walk over domains.
struct GreedyWalk {
    std::int64_t domains = 0;
    std::optional<PlacerDomain> last_leader;  ///< the domain that hosts the leader
    std::optional<PlacerDomain> last_worker;  ///< the last of the others
};

/// The domains of the requested level that an even placement may use, and the slices that each
/// domain with pods gets at least.
struct EvenChoice {
    PlacerDomains domains;
    std::int64_t threshold = 0;
    std::int64_t used = 0;
};

/// One placement, step by step.
class SlowPlacer {
  public:
    /// Counts what fits in each domain (6.4).
    SlowPlacer(const PlacerHosts& hosts, const engine::PlacementRequest& request);
    /// Chooses domains, and goes down to the hosts.
    PlacerResult place() const;

  private:
    void count(PlacerDomain& domain, std::size_t level, const std::vector<std::int64_t>& inner)
        const;

    // Choosing level and domains (6.5).
    PlacerDomains order_for_leader(PlacerDomains domains, bool least_room_first) const;
    PlacerDomains order(PlacerDomains domains, bool least_room_first) const;
    std::size_t best_fit(
        const PlacerDomains& domains,
        std::size_t first,
        std::int64_t needed,
        std::int64_t leaders,
        PlacerUnit unit
    ) const;
    static PlacerDomains with_leader_first(
        PlacerDomains domains, std::int64_t needed, std::int64_t leaders, PlacerUnit unit
    );
    PlacerChoice choose(std::size_t level) const;
    PlacerChoice choose_several(std::size_t level, PlacerDomains ordered) const;
    engine::PlacementShortage shortage(std::size_t level, std::int64_t fitting) const;

    // Descending (6.6).
    std::optional<PlacerDomains> fill(
        PlacerDomains ordered,
        std::int64_t missing,
        std::int64_t leaders,
        std::int64_t size,
        PlacerUnit unit
    ) const;
    std::optional<PlacerDomains> descend(const PlacerChoice& choice, bool is_even) const;
    std::optional<PlacerDomains> fill_children(const PlacerDomains& parents, std::int64_t size)
        const;
    static std::map<std::vector<std::string>, PlacerShare> shares_of(const PlacerDomains& hosts);

    // Even placement (6.7).
    std::optional<GreedyWalk> walk(const PlacerDomains& domains) const;
    void drop_if_below(PlacerDomain& domain, std::int64_t threshold) const;
    PlacerDomains without_small(PlacerDomains siblings, std::int64_t threshold) const;
    EvenChoice even_choice_of(const PlacerDomains& siblings, std::int64_t least) const;
    PlacerDomains tightest(const PlacerDomains& ordered) const;
    std::optional<PlacerDomains> spread(const PlacerDomains& domains, std::int64_t threshold) const;
    static PlacerDomains most_spread_first(PlacerDomains domains);
    std::optional<PlacerChoice> choose_evenly() const;

    const engine::PlacementRequest& request_;
    std::size_t levels_;
    std::int64_t wanted_;                    // slices
    std::int64_t leaders_;                   // 0 or 1
    std::vector<std::int64_t> inner_sizes_;  // by level, 0 for none
    PlacerDomains tops_;
};

}  // namespace sluice::reference
