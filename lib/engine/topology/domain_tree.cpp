#include "engine/topology/domain_tree.hpp"

#include "base/assert.hpp"

#include <algorithm>

namespace sluice::engine {
namespace {

/// Returns true if the paths agree down to the level, inclusive.
bool agree(const DomainPath& a, const DomainPath& b, std::size_t level) {
    return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(level) + 1, b.begin());
}

}  // namespace

std::vector<DomainIndex> list(DomainRange range) {
    std::vector<DomainIndex> domains;
    domains.reserve(range.size());
    for (std::uint32_t at = range.first; at < range.last; ++at) {
        domains.push_back(DomainIndex{at});
    }
    return domains;
}

DomainTree::DomainTree(std::size_t levels, std::vector<DomainPath> leaves) {
    SLUICE_ASSERT(levels > 0);
    std::sort(leaves.begin(), leaves.end());
    leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
    std::vector<DomainIndex> parents(leaves.size());  // by leaf: its domain of the level above
    for (std::size_t level = 0; level < levels; ++level) {
        DomainRange range;
        range.first = static_cast<std::uint32_t>(domains_.size());
        for (std::size_t at = 0; at < leaves.size(); ++at) {
            if (at == 0 || !agree(leaves[at - 1], leaves[at], level)) {
                const auto made = static_cast<std::uint32_t>(domains_.size());
                domains_.push_back(
                    {.value = leaves[at][level], .parent = parents[at], .children = {}}
                );
                if (parents[at].is_valid()) {
                    DomainRange& siblings = domains_[parents[at].at()].children;
                    siblings.first = siblings.size() == 0 ? made : siblings.first;
                    siblings.last = made + 1;
                }
            }
            parents[at] = make_index<DomainIndex>(domains_.size() - 1);
        }
        range.last = static_cast<std::uint32_t>(domains_.size());
        levels_.push_back(range);
    }
}

DomainPath DomainTree::path(DomainIndex domain) const {
    DomainPath path;
    for (; domain.is_valid(); domain = parent(domain)) {
        path.push_back(value(domain));
    }
    std::reverse(path.begin(), path.end());
    return path;
}

DomainIndex DomainTree::find(const DomainPath& path) const {
    DomainIndex found;
    DomainRange range = levels_.front();
    for (const std::string& wanted : path) {
        const auto begin = domains_.begin() + range.first;
        const auto end = domains_.begin() + range.last;
        const auto at = std::lower_bound(begin, end, wanted, [](const Domain& d, const auto& v) {
            return d.value < v;
        });
        if (at == end || at->value != wanted) {
            return {};
        }
        found = make_index<DomainIndex>(static_cast<std::size_t>(at - domains_.begin()));
        range = at->children;
    }
    return found;
}

bool DomainTree::is_within(DomainIndex domain, DomainIndex ancestor) const {
    // A parent has a smaller index than its children.
    while (domain.is_valid() && domain > ancestor) {
        domain = parent(domain);
    }
    return domain == ancestor;
}

}  // namespace sluice::engine
