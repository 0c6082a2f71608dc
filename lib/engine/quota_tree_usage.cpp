// Usage, for good and in what-ifs.
#include "engine/quota_tree.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {

void QuotaTree::unlist(NodeIndex root, QuotaCell& cell) {
    auto& listed = nodes_[root.at()].above_quota[cell.flavor_resource];
    const NodeIndex last = listed.back();
    listed[cell.above_quota - 1] = last;
    nodes_[last.at()].cells[cell_position(last, cell.flavor_resource)].above_quota =
        cell.above_quota;
    listed.pop_back();
    cell.above_quota = 0;
}

void QuotaTree::list_if_above_quota(NodeIndex index, QuotaCell& cell) {
    const Node& node = nodes_[index.at()];
    const bool above = cell.usage > cell.subtree;
    if (!node.is_cluster_queue || above == (cell.above_quota != 0)) {
        return;
    }
    if (!above) {
        unlist(node.root, cell);
        return;
    }
    auto& listed = nodes_[node.root.at()].above_quota[cell.flavor_resource];
    listed.push_back(index);
    cell.above_quota = static_cast<std::uint32_t>(listed.size());
}

std::vector<NodeIndex> QuotaTree::above_quota(
    NodeIndex root, const FlavorResources& flavor_resources
) const {
    std::vector<NodeIndex> found;
    const auto& listed = nodes_[root.at()].above_quota;
    for (const auto flavor_resource : flavor_resources) {
        if (const auto at = listed.find(flavor_resource); at != listed.end()) {
            found.insert(found.end(), at->second.begin(), at->second.end());
        }
    }
    // The lists are in the order of their history, which nothing may depend on.
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

void QuotaTree::add(
    NodeIndex index, FlavorResourceIndex flavor_resource, Amount amount, bool save
) {
    for (NodeIndex at = index; at.is_valid();) {
        Node& node = nodes_[at.at()];
        const std::uint32_t position = cell_position(at, flavor_resource);
        QuotaCell& here = node.cells[position];
        const Amount local = here.local_available();
        if (save) {
            undo_.push_back(Saved{.node = at, .cell = position, .usage = here.usage});
        }
        const bool was_saturated = here.usage.is_saturated();
        here.usage += amount;
        list_if_above_quota(at, here);
        if (!save && (was_saturated || here.usage.is_saturated() || amount.is_saturated())) {
            uncount(index);
        }
        if (amount <= local) {
            return;
        }
        amount -= local;
        at = node.parent;
    }
}

void QuotaTree::remove(
    NodeIndex index, FlavorResourceIndex flavor_resource, Amount amount, bool save
) {
    for (NodeIndex at = index; at.is_valid();) {
        Node& node = nodes_[at.at()];
        const std::uint32_t position = cell_position(at, flavor_resource);
        QuotaCell& here = node.cells[position];
        const Amount stored_in_parent = here.usage - here.local();
        if (save) {
            undo_.push_back(Saved{.node = at, .cell = position, .usage = here.usage});
        }
        const bool was_saturated = here.usage.is_saturated();
        here.usage -= amount;
        list_if_above_quota(at, here);
        if (!save && (was_saturated || here.usage.is_saturated() || amount.is_saturated())) {
            uncount(index);
        }
        if (stored_in_parent <= Amount()) {
            return;
        }
        amount = min(amount, stored_in_parent);
        at = node.parent;
    }
}

void QuotaTree::add_usage(NodeIndex cluster_queue, const Usages& usages) {
    Node& node = nodes_[cluster_queue.at()];
    for (const auto& usage : usages) {
        add_to(node.own_usage, usage.flavor_resource, usage.amount);
        if (is_stale()) {
            continue;
        }
        for (NodeIndex at = cluster_queue; at.is_valid(); at = nodes_[at.at()].parent) {
            ensure_cell(at, usage.flavor_resource);
        }
        add(cluster_queue, usage.flavor_resource, usage.amount, false);
    }
    count_later_if_stale(cluster_queue);
}

void QuotaTree::remove_usage(NodeIndex cluster_queue, const Usages& usages) {
    Node& node = nodes_[cluster_queue.at()];
    for (const auto& usage : usages) {
        add_to(node.own_usage, usage.flavor_resource, Amount() - usage.amount);
        if (!is_stale()) {
            remove(cluster_queue, usage.flavor_resource, usage.amount, false);
        }
    }
    count_later_if_stale(cluster_queue);
}

void QuotaTree::count_later_if_stale(NodeIndex cluster_queue) {
    // Another tree than this one may be the stale one; this one's sums lack the change all the
    // same. A relink counts all trees.
    if (!uncounted_.empty()) {
        uncount(cluster_queue);
    }
}

bool QuotaTree::has_saturated(NodeIndex cluster_queue) const {
    const auto& own = nodes_[cluster_queue.at()].own_usage;
    return std::any_of(own.begin(), own.end(), [](const Usage& u) {
        return u.amount.is_unlimited();
    });
}

void QuotaTree::reset_usage(NodeIndex cluster_queue, Usages usages) {
    nodes_[cluster_queue.at()].own_usage = std::move(usages);
    uncount(cluster_queue);
}

void QuotaTree::assume_usage(NodeIndex cluster_queue, const Usages& usages) {
    for (const auto& usage : usages) {
        add(cluster_queue, usage.flavor_resource, usage.amount, true);
    }
}

void QuotaTree::assume_no_usage(NodeIndex cluster_queue, const Usages& usages) {
    for (const auto& usage : usages) {
        remove(cluster_queue, usage.flavor_resource, usage.amount, true);
    }
}

Usages QuotaTree::counted_above(NodeIndex node, Usages usages, NodeIndex ancestor) const {
    for (NodeIndex at = node; at != ancestor; at = nodes_[at.at()].parent) {
        for (auto& usage : usages) {
            const Amount local = cell(at, usage.flavor_resource).local_available();
            usage.amount = usage.amount <= local ? Amount() : usage.amount - local;
        }
    }
    return usages;
}

void QuotaTree::rollback(Mark mark) {
    while (undo_.size() > mark) {
        const Saved& saved = undo_.back();
        QuotaCell& cell = nodes_[saved.node.at()].cells[saved.cell];
        cell.usage = saved.usage;
        list_if_above_quota(saved.node, cell);
        undo_.pop_back();
    }
}

}  // namespace sluice::engine
