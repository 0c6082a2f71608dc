#include "engine/topology/flavor_topology.hpp"

#include "base/assert.hpp"
#include "engine/types/topology_objects.hpp"

#include <algorithm>
#include <numeric>

namespace sluice::engine {

FlavorTopology::FlavorTopology(std::string name, std::vector<std::string> levels)
    : name_(std::move(name)),
      levels_(std::move(levels)),
      is_by_host_(levels_.back() == kHostnameLevel) {
    grow({});
}

std::optional<std::size_t> FlavorTopology::find_level(std::string_view label) const {
    const auto at = std::find(levels_.begin(), levels_.end(), label);
    return at == levels_.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(at - levels_.begin()));
}

void FlavorTopology::grow(std::vector<DomainPath> paths) {
    if (is_by_host_) {
        // A host is one leaf, even if its nodes disagree on the levels above it.
        std::stable_sort(paths.begin(), paths.end(), [](const DomainPath& a, const DomainPath& b) {
            return a.back() < b.back();
        });
        const auto is_same_host = [](const DomainPath& a, const DomainPath& b) {
            return a.back() == b.back();
        };
        paths.erase(std::unique(paths.begin(), paths.end(), is_same_host), paths.end());
    }
    Shape made{.tree = DomainTree(levels_.size(), std::move(paths)), .by_host = {}};
    const DomainRange leaves = made.tree.leaves();
    if (is_by_host_) {
        made.by_host.resize(leaves.size());
        std::iota(made.by_host.begin(), made.by_host.end(), 0U);
        const auto host = [&](std::uint32_t leaf) -> const std::string& {
            return made.tree.value(DomainIndex{leaves.first + leaf});
        };
        std::sort(made.by_host.begin(), made.by_host.end(), [&](std::uint32_t a, std::uint32_t b) {
            return host(a) < host(b);
        });
    }
    shape_ = std::make_shared<const Shape>(std::move(made));
    nodes_ = CowVector<std::vector<HostIndex>, 256>(leaves.size());
    present_ = 0;
    idle_ = LeafCapacity(leaves.size());
    free_ = LeafCapacity(leaves.size());
    twins_ = nullptr;
}

std::optional<std::uint32_t> FlavorTopology::find_leaf(std::string_view id) const {
    if (!is_by_host_) {
        DomainPath path;
        for (std::size_t begin = 0; begin <= id.size();) {
            const std::size_t end = std::min(id.find(',', begin), id.size());
            path.emplace_back(id.substr(begin, end - begin));
            begin = end + 1;
        }
        return leaf_at(path);
    }
    const std::uint32_t first = tree().leaves().first;
    const auto& all = shape_->by_host;
    const auto at = std::lower_bound(
        all.begin(),
        all.end(),
        id,
        [&](std::uint32_t leaf, std::string_view wanted) {
            return tree().value(DomainIndex{first + leaf}) < wanted;
        }
    );
    return at != all.end() && tree().value(DomainIndex{first + *at}) == id ? std::optional(*at)
                                                                           : std::nullopt;
}

std::optional<std::uint32_t> FlavorTopology::leaf_at(const DomainPath& path) const {
    if (path.size() != levels_.size()) {
        return std::nullopt;
    }
    if (is_by_host_) {
        return find_leaf(path.back());
    }
    const DomainIndex found = tree().find(path);
    return found.is_valid() ? std::optional(found.value - tree().leaves().first) : std::nullopt;
}

std::string FlavorTopology::id_of(std::uint32_t leaf) const {
    if (is_by_host_) {
        return tree().value(domain_of(leaf));
    }
    std::string id;
    for (const std::string& value : tree().path(domain_of(leaf))) {
        id.append(id.empty() ? "" : ",").append(value);
    }
    return id;
}

std::span<const LeafOfFlavor> FlavorTopology::twins_of(std::uint32_t leaf) const {
    return twins_ == nullptr ? std::span<const LeafOfFlavor>() : std::span((*twins_)[leaf]);
}

void FlavorTopology::add_node(
    std::uint32_t leaf, std::vector<HostIndex> nodes_of_leaf, std::span<const Request> capacity
) {
    present_ += is_present(leaf) ? 0 : 1;
    nodes_.write(leaf) = std::move(nodes_of_leaf);
    idle_.add(leaf, capacity);
    free_.add(leaf, capacity);
}

void FlavorTopology::remove_node(
    std::uint32_t leaf, HostIndex node, std::span<const Request> capacity
) {
    SLUICE_ASSERT(is_present(leaf));
    std::erase(nodes_.write(leaf), node);
    present_ -= is_present(leaf) ? 0 : 1;
    idle_.take(leaf, capacity);
    free_.take(leaf, capacity);
}

void FlavorTopology::take(std::uint32_t leaf, std::span<const Request> pod, std::int64_t times) {
    free_.take(leaf, pod, times);
}

void FlavorTopology::set_twins(std::vector<std::vector<LeafOfFlavor>> twins) {
    twins_ = twins.empty()
                 ? nullptr
                 : std::make_shared<const std::vector<std::vector<LeafOfFlavor>>>(std::move(twins));
}

void Topologies::set(FlavorIndex flavor, FlavorTopology topology) {
    if (all_.size() <= flavor.at()) {
        all_.resize(flavor.at() + 1);
    }
    all_.write(flavor.at()) = CowPtr<FlavorTopology>::make(std::move(topology));
}

void Topologies::remove(FlavorIndex flavor) {
    if (flavor.at() < all_.size()) {
        all_.write(flavor.at()).reset();
    }
}

}  // namespace sluice::engine
