// The domains that the nodes of a flavor form, level by level.
#pragma once

#include "engine/types/ids.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sluice::engine {

/// A domain of a DomainTree: a block, a rack, a host.
using DomainIndex = Index<struct DomainTag>;

/// The values of a node's level labels, from the coarsest level to the finest.
using DomainPath = std::vector<std::string>;

/// A range of domains: all of one level, or all children of one domain, in the order of their
/// paths.
struct DomainRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;  ///< exclusive

    std::size_t size() const { return last - first; }
};

/// Lists the domains of a range.
std::vector<DomainIndex> list(DomainRange range);

/// The domains of a topology (Topology.spec.levels, KEP-2724). A domain of the finest level is a
/// leaf. Domains are numbered level by level, and by path within a level (bytewise): so the index
/// is the order that decides ties, and children have consecutive indices.
class DomainTree {
  public:
    /// Makes the tree of the leaves with these paths; equal paths are one leaf. Requires: at least
    /// one level, and as many values in each path. *Cost*: O(leaves x log leaves x levels).
    DomainTree(std::size_t levels, std::vector<DomainPath> leaves);

    std::size_t levels() const { return levels_.size(); }
    std::size_t lowest_level() const { return levels_.size() - 1; }
    std::size_t size() const { return domains_.size(); }
    DomainRange at_level(std::size_t level) const { return levels_[level]; }
    DomainRange leaves() const { return levels_.back(); }
    DomainRange children(DomainIndex domain) const { return domains_[domain.at()].children; }
    /// Returns an invalid index for a domain of the coarsest level.
    DomainIndex parent(DomainIndex domain) const { return domains_[domain.at()].parent; }
    /// Returns the value of the domain's own level.
    const std::string& value(DomainIndex domain) const { return domains_[domain.at()].value; }
    DomainPath path(DomainIndex domain) const;
    /// Returns the domain of that path, which may end at any level; an invalid index if no leaf has
    /// it.
    DomainIndex find(const DomainPath& path) const;
    /// Returns true if `domain` is `ancestor` or below it.
    bool is_within(DomainIndex domain, DomainIndex ancestor) const;

  private:
    struct Domain {
        std::string value;
        DomainIndex parent;
        DomainRange children;
    };

    std::vector<Domain> domains_;
    std::vector<DomainRange> levels_;
};

}  // namespace sluice::engine
