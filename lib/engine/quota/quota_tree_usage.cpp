// Usage, for good and in what-ifs.
#include "base/assert.hpp"
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
    if (shows_evictions_) {
        // The lists are of usage as it is. Where that saturated, less may be more.
        for (const Fork& fork : forks_) {
            const Node& node = nodes_[fork.node.at()];
            if (node.is_cluster_queue && node.root == root) {
                found.push_back(fork.node);
            }
        }
        std::erase_if(found, [&](NodeIndex queue) {
            return !is_above_quota(queue, flavor_resources);
        });
    }
    // The lists are in the order of their history, which nothing may depend on.
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

bool QuotaTree::has_above_quota(NodeIndex root, const FlavorResources& flavor_resources) const {
    const auto& listed = nodes_[root.at()].above_quota;
    return !forks_.empty() ||
           std::ranges::any_of(flavor_resources, [&](FlavorResourceIndex flavor_resource) {
               const auto at = listed.find(flavor_resource);
               return at != listed.end() && !at->second.empty();
           });
}

bool QuotaTree::is_above_quota(NodeIndex node, const FlavorResources& flavor_resources) const {
    return std::ranges::any_of(flavor_resources, [&](FlavorResourceIndex flavor_resource) {
        const QuotaCell* here = find_cell(node, flavor_resource);
        return here != nullptr && here->usage > here->subtree;
    });
}

QuotaTree::Place QuotaTree::place_of(NodeIndex index, FlavorResourceIndex flavor_resource) {
    Node& node = nodes_.write(index.at());
    const bool is_fork = shows_evictions_ && node.fork != 0;
    auto& cells = is_fork ? forks_[node.fork - 1].cells : node.cells;
    const std::size_t position = position_in(cells, flavor_resource);
    SLUICE_ASSERT(position < cells.size());
    return {
        .node = index,
        .position = static_cast<std::uint32_t>(position),
        .is_fork = is_fork,
        .cell = &cells[position],
    };
}

void QuotaTree::change(const Place& place, Amount usage, Lasting lasting, bool is_exact) {
    QuotaCell& here = *place.cell;
    if (lasting == Lasting::WhatIf) {
        undo_.push_back(Saved{
            .node = place.node,
            .cell = place.position,
            .is_fork = place.is_fork,
            .usage = here.usage,
        });
    }
    const bool has_saturated = !is_exact || here.usage.is_saturated() || usage.is_saturated();
    here.usage = usage;
    if (!place.is_fork) {
        update_above_quota(place.node, here);
    }
    if (has_saturated) {
        if (lasting == Lasting::ForGood) {
            mark_wrong_sums(place.node);
        }
        is_order_relevant_ = true;
    }
}

void QuotaTree::add(
    NodeIndex index, FlavorResourceIndex flavor_resource, Amount amount, Lasting lasting
) {
    is_order_relevant_ = is_order_relevant_ || amount < Amount();  // which stays in the node
    for (NodeIndex at = index; at.is_valid(); at = nodes_[at.at()].parent) {
        const Place here = place_of(at, flavor_resource);
        const Amount local = here.cell->local_available();
        change(here, here.cell->usage + amount, lasting, !amount.is_saturated());
        if (amount <= local) {
            return;
        }
        amount -= local;
    }
}

void QuotaTree::remove(
    NodeIndex index, FlavorResourceIndex flavor_resource, Amount amount, Lasting lasting
) {
    is_order_relevant_ = is_order_relevant_ || amount < Amount();
    for (NodeIndex at = index; at.is_valid(); at = nodes_[at.at()].parent) {
        const Place here = place_of(at, flavor_resource);
        const Amount stored_in_parent = here.cell->usage - here.cell->local();
        change(here, here.cell->usage - amount, lasting, !amount.is_saturated());
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
        add(cluster_queue, usage.flavor_resource, usage.amount, Lasting::ForGood);
    }
    sum_later_if_stale(cluster_queue);
}

void QuotaTree::remove_usage(NodeIndex cluster_queue, const Usages& usages) {
    Node& node = nodes_.write(cluster_queue.at());
    for (const auto& usage : usages) {
        add_to(node.own_usage, usage.flavor_resource, Amount() - usage.amount);
        if (!is_stale()) {
            remove(cluster_queue, usage.flavor_resource, usage.amount, Lasting::ForGood);
        }
    }
    sum_later_if_stale(cluster_queue);
}

void QuotaTree::sum_later_if_stale(NodeIndex cluster_queue) {
    // Another tree than this one may be the stale one; this one's sums lack the change all the
    // same. A rebuild sums all trees.
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

void QuotaTree::assume_usage(NodeIndex cluster_queue, const Usages& usages) {
    for (const auto& usage : usages) {
        if (!shows_evictions_ && !forks_.empty()) {
            assume_after_evictions(cluster_queue, usage);
        }
        add(cluster_queue, usage.flavor_resource, usage.amount, Lasting::WhatIf);
    }
}

void QuotaTree::assume_no_usage(NodeIndex cluster_queue, const Usages& usages) {
    for (const auto& usage : usages) {
        remove(cluster_queue, usage.flavor_resource, usage.amount, Lasting::WhatIf);
    }
}

void QuotaTree::assume_after_evictions(NodeIndex cluster_queue, const Usage& usage) {
    Amount amount = usage.amount;
    NodeIndex at = cluster_queue;
    for (; at.is_valid() && nodes_[at.at()].fork == 0; at = nodes_[at.at()].parent) {
        const Amount local = cell(at, usage.flavor_resource).local_available();
        if (amount <= local) {
            return;
        }
        amount -= local;
    }
    if (at.is_valid()) {
        shows_evictions_ = true;
        add(at, usage.flavor_resource, amount, Lasting::UntilForgotten);
        shows_evictions_ = false;
    }
}

void QuotaTree::fork_path(NodeIndex cluster_queue) {
    for (NodeIndex at = cluster_queue; at.is_valid(); at = nodes_[at.at()].parent) {
        Node& node = nodes_.write(at.at());
        if (node.fork != 0) {
            return;
        }
        forks_.push_back({.node = at, .cells = node.cells});
        node.fork = static_cast<std::uint32_t>(forks_.size());
    }
}

void QuotaTree::evict(NodeIndex cluster_queue, const Usages& usages) {
    fork_path(cluster_queue);
    shows_evictions_ = true;
    for (const auto& usage : usages) {
        remove(cluster_queue, usage.flavor_resource, usage.amount, Lasting::UntilForgotten);
    }
    shows_evictions_ = false;
}

void QuotaTree::forget_evictions() {
    for (const Fork& fork : forks_) {
        nodes_.write(fork.node.at()).fork = 0;
    }
    forks_.clear();
    is_order_relevant_ = false;
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
        Node& node = nodes_.write(saved.node.at());
        if (saved.is_fork) {
            forks_[node.fork - 1].cells[saved.cell].usage = saved.usage;
        } else {
            QuotaCell& cell = node.cells[saved.cell];
            cell.usage = saved.usage;
            update_above_quota(saved.node, cell);
        }
        undo_.pop_back();
    }
}

}  // namespace sluice::engine
