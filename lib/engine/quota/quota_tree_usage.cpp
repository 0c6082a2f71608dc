// Adds and removes the usage of workloads that hold quota.
#include "engine/quota/quota_tree.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {

void QuotaTree::remove_from_above_quota(NodeIndex root, QuotaCell& cell) {
    auto& listed = nodes_.write(root.at()).above_quota[cell.flavor_resource];
    const NodeIndex last = listed.back();
    listed[cell.above_quota - 1] = last;
    auto& cells = nodes_.write(last.at()).cells;
    cells[position_in(cells, cell.flavor_resource)].above_quota = cell.above_quota;
    listed.pop_back();
    cell.above_quota = 0;
}

void QuotaTree::update_above_quota(NodeIndex index, QuotaCell& cell) {
    const Node& node = nodes_[index.at()];
    const bool above = cell.usage > cell.subtree;
    if (!node.is_cluster_queue || above == (cell.above_quota != 0)) {
        return;
    }
    if (!above) {
        remove_from_above_quota(node.root, cell);
        return;
    }
    auto& listed = nodes_.write(node.root.at()).above_quota[cell.flavor_resource];
    listed.push_back(index);
    cell.above_quota = static_cast<std::uint32_t>(listed.size());
}

void QuotaTree::change(NodeIndex index, QuotaCell& here, Amount usage, bool is_exact) {
    const bool has_saturated = !is_exact || here.usage.is_saturated() || usage.is_saturated();
    here.usage = usage;
    update_above_quota(index, here);
    if (has_saturated) {
        mark_wrong_sums(index);
    }
}

void QuotaTree::add(NodeIndex index, FlavorResourceIndex flavor_resource, Amount amount) {
    for (NodeIndex at = index; at.is_valid(); at = nodes_[at.at()].parent) {
        QuotaCell& here = cell_to_change(at, flavor_resource);
        const Amount local = here.local_available();
        change(at, here, here.usage + amount, !amount.is_saturated());
        if (amount <= local) {
            return;
        }
        amount -= local;
    }
}

void QuotaTree::remove(NodeIndex index, FlavorResourceIndex flavor_resource, Amount amount) {
    for (NodeIndex at = index; at.is_valid(); at = nodes_[at.at()].parent) {
        QuotaCell& here = cell_to_change(at, flavor_resource);
        const Amount stored_in_parent = here.usage - here.local();
        change(at, here, here.usage - amount, !amount.is_saturated());
        if (stored_in_parent <= Amount()) {
            return;
        }
        amount = min(amount, stored_in_parent);
    }
}

void QuotaTree::add_usage(NodeIndex cluster_queue, const Usages& usages) {
    Node& node = nodes_.write(cluster_queue.at());
    for (const auto& usage : usages) {
        add_to(node.own_usage, usage.flavor_resource, usage.amount);
        if (is_stale()) {
            continue;
        }
        for (NodeIndex at = cluster_queue; at.is_valid(); at = nodes_[at.at()].parent) {
            ensure_cell(at, usage.flavor_resource);
        }
        add(cluster_queue, usage.flavor_resource, usage.amount);
    }
    sum_later_if_stale(cluster_queue);
}

void QuotaTree::remove_usage(NodeIndex cluster_queue, const Usages& usages) {
    Node& node = nodes_.write(cluster_queue.at());
    for (const auto& usage : usages) {
        add_to(node.own_usage, usage.flavor_resource, Amount() - usage.amount);
        if (!is_stale()) {
            remove(cluster_queue, usage.flavor_resource, usage.amount);
        }
    }
    sum_later_if_stale(cluster_queue);
}

void QuotaTree::sum_later_if_stale(NodeIndex cluster_queue) {
    // While any sums are wrong, changes are not added to the sums of any tree, so this tree's sums
    // are wrong too. A rebuild recomputes all trees.
    if (!wrong_sums_.empty()) {
        mark_wrong_sums(cluster_queue);
    }
}

bool QuotaTree::has_saturated(NodeIndex cluster_queue) const {
    const auto& own = nodes_[cluster_queue.at()].own_usage;
    return std::any_of(own.begin(), own.end(), [](const Usage& u) {
        return u.amount.is_unlimited();
    });
}

void QuotaTree::reset_usage(NodeIndex cluster_queue, Usages usages) {
    nodes_.write(cluster_queue.at()).own_usage = std::move(usages);
    mark_wrong_sums(cluster_queue);
}

}  // namespace sluice::engine
