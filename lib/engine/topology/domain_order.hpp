// The order in which domains are tried.
#pragma once

#include "engine/topology/domain_counts.hpp"
#include "engine/topology/domain_tree.hpp"
#include "engine/topology/placement.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace sluice::engine {

/// Orders domains: those with more slices first (or with fewer, least_room_first), then those with
/// fewer pods, then by path. Domains that the pods prefer come before others.
class DomainOrder {
  public:
    /// *Lifetime*: both outlive the order. It reads the counts whenever it compares.
    DomainOrder(const PlacementRequest& request, const std::vector<DomainCounts>& counts)
        : request_(request), counts_(counts) {}

    /// Smaller is earlier.
    struct Key {
        std::int64_t leaders = 0;
        std::int64_t affinity = 0;
        std::int64_t slices = 0;
        std::int64_t pods = 0;
        DomainIndex domain;
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    Key key_of(DomainIndex domain) const;
    /// Domains with a place for the leader come first, and pods and slices next to it count.
    Key key_with_leader_of(DomainIndex domain) const;

    void sort(std::vector<DomainIndex>& domains) const { sort(domains, &DomainOrder::key_of); }
    void sort_with_leader(std::vector<DomainIndex>& domains) const {
        sort(domains, &DomainOrder::key_with_leader_of);
    }

  private:
    void sort(std::vector<DomainIndex>& domains, Key (DomainOrder::*key)(DomainIndex) const) const;

    const PlacementRequest& request_;
    const std::vector<DomainCounts>& counts_;
};

}  // namespace sluice::engine
