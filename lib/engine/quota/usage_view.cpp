#include "engine/quota/usage_view.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {

UsageView::Path UsageView::path_to_root(NodeIndex index, FlavorResourceIndex flavor_resource)
    const {
    static const QuotaCell kNone;
    Path path;
    for (NodeIndex at = index; at.is_valid();) {
        const QuotaTree::Node& here = node(at);
        const std::size_t position = QuotaTree::position_in(here.cells, flavor_resource);
        const QuotaCell* cell = &kNone;
        if (position < here.cells.size()) {
            cell = &cells(at, here)[position];
        }
        path.push_back({.node = at, .cell = cell});
        at = here.parent;
    }
    return path;
}

UsageView::Room UsageView::room(NodeIndex index, FlavorResourceIndex flavor_resource) const {
    const Path path = path_to_root(index, flavor_resource);
    const QuotaCell& root = *path.back().cell;
    Room room{.available = root.subtree - root.usage, .bottleneck = {.node = path.back().node}};
    for (std::size_t i = path.size() - 1; i-- > 0;) {
        const QuotaCell& here = *path[i].cell;
        if (here.borrowing_limit) {
            // In its parent, the node may use what it lent there and has not used yet, and the
            // limit on top.
            const Amount stored_in_parent = here.subtree - here.local();
            const Amount used_in_parent = max(Amount(), here.usage - here.local());
            const Amount limit = stored_in_parent - used_in_parent + *here.borrowing_limit;
            if (limit <= room.available) {
                room = {
                    .available = limit,
                    .bottleneck = {.node = path[i].node, .is_borrowing_limit = true},
                };
            }
        }
        room.available = here.local_available() + room.available;
    }
    return room;
}

Amount UsageView::potential_available(NodeIndex index, FlavorResourceIndex flavor_resource) const {
    const Path path = path_to_root(index, flavor_resource);
    Amount potential = path.back().cell->subtree;
    for (std::size_t i = path.size() - 1; i-- > 0;) {
        const QuotaCell& here = *path[i].cell;
        potential = here.local() + potential;
        if (here.borrowing_limit) {
            potential = min(potential, here.subtree + *here.borrowing_limit);
        }
    }
    return potential;
}

bool UsageView::fits_quota(const Demand& demand) const {
    return std::all_of(demand.usages.begin(), demand.usages.end(), [&](const Usage& usage) {
        return usage.amount <=
               max(Amount(), available(demand.cluster_queue, usage.flavor_resource));
    });
}

bool UsageView::is_borrowing_with(
    NodeIndex index, FlavorResourceIndex flavor_resource, Amount amount
) const {
    const QuotaCell& here = cell(index, flavor_resource);
    return here.usage + amount > here.subtree;
}

UsageView::Fit UsageView::lowest_fit(
    NodeIndex cluster_queue, FlavorResourceIndex flavor_resource, Amount amount
) const {
    const NodeIndex parent = node(cluster_queue).parent;
    if (!parent.is_valid() || !is_borrowing_with(cluster_queue, flavor_resource, amount)) {
        return {.height = 0, .may_reclaim = parent.is_valid()};
    }
    Amount rest = amount - cell(cluster_queue, flavor_resource).local_available();
    NodeIndex at = parent;
    while (true) {
        const QuotaTree::Node& here = node(at);
        if (!is_borrowing_with(at, flavor_resource, rest)) {
            return {.height = here.height, .may_reclaim = here.parent.is_valid()};
        }
        if (!here.parent.is_valid()) {
            return {.height = here.height, .may_reclaim = false};
        }
        rest -= cell(at, flavor_resource).local_available();
        at = here.parent;
    }
}

Usages UsageView::counted_above(NodeIndex index, Usages usages, NodeIndex ancestor) const {
    for (NodeIndex at = index; at != ancestor; at = node(at).parent) {
        for (auto& usage : usages) {
            const Amount local = cell(at, usage.flavor_resource).local_available();
            usage.amount = usage.amount <= local ? Amount() : usage.amount - local;
        }
    }
    return usages;
}

const UsageView::AboveQuota& UsageView::above_quota_of(NodeIndex root) const {
    const auto changed = above_quota_.find(root);
    return changed == above_quota_.end() ? node(root).above_quota : changed->second;
}

UsageView::AboveQuota& UsageView::own_above_quota_of(NodeIndex root) {
    const auto changed = above_quota_.lower_bound(root);
    return changed != above_quota_.end() && changed->first == root
               ? changed->second
               : above_quota_.emplace_hint(changed, root, node(root).above_quota)->second;
}

std::vector<NodeIndex> UsageView::above_quota(
    NodeIndex root, const FlavorResources& flavor_resources
) const {
    std::vector<NodeIndex> found;
    const AboveQuota& listed = above_quota_of(root);
    for (const auto flavor_resource : flavor_resources) {
        if (const auto at = listed.find(flavor_resource); at != listed.end()) {
            found.insert(found.end(), at->second.begin(), at->second.end());
        }
    }
    // The order of the lists depends on their history, and results must not depend on it.
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

bool UsageView::has_above_quota(NodeIndex root, const FlavorResources& flavor_resources) const {
    const AboveQuota& listed = above_quota_of(root);
    return std::ranges::any_of(flavor_resources, [&](FlavorResourceIndex flavor_resource) {
        const auto at = listed.find(flavor_resource);
        return at != listed.end() && !at->second.empty();
    });
}

bool UsageView::is_above_quota(NodeIndex index, const FlavorResources& flavor_resources) const {
    return std::ranges::any_of(flavor_resources, [&](FlavorResourceIndex flavor_resource) {
        const QuotaCell* here = find_cell(index, flavor_resource);
        return here != nullptr && here->usage > here->subtree;
    });
}

std::uint32_t UsageView::own_cell(NodeIndex index, FlavorResourceIndex flavor_resource) {
    if (copy_of_.empty()) {
        copy_of_.resize(tree_->size(), 0);
    }
    const auto& own = node(index).cells;
    std::uint32_t& copy = copy_of_[index.at()];
    if (copy == 0) {
        copy = static_cast<std::uint32_t>(copies_.size() + 1);
        copies_.insert(copies_.end(), own.begin(), own.end());
    }
    const std::size_t position = QuotaTree::position_in(std::span(own), flavor_resource);
    SLUICE_ASSERT(position < own.size());
    return copy - 1 + static_cast<std::uint32_t>(position);
}

void UsageView::update_above_quota(NodeIndex index, std::uint32_t at) {
    QuotaCell& cell = copies_[at];
    const bool above = cell.usage > cell.subtree;
    if (!node(index).is_cluster_queue || above == (cell.above_quota != 0)) {
        return;
    }
    const FlavorResourceIndex flavor_resource = cell.flavor_resource;
    auto& listed = own_above_quota_of(node(index).root)[flavor_resource];
    if (above) {
        listed.push_back(index);
        cell.above_quota = static_cast<std::uint32_t>(listed.size());
        return;
    }
    const std::uint32_t place = std::exchange(cell.above_quota, 0);
    const NodeIndex last = listed.back();
    listed.pop_back();
    if (last != index) {
        listed[place - 1] = last;
        copies_[own_cell(last, flavor_resource)].above_quota = place;
    }
}

void UsageView::set_usage(NodeIndex index, std::uint32_t cell, Amount usage) {
    copies_[cell].usage = usage;
    update_above_quota(index, cell);
}

void UsageView::change(NodeIndex index, std::uint32_t cell, Amount usage, Amount amount) {
    const Amount before = copies_[cell].usage;
    if (trials_ > 0) {
        undo_.push_back({.node = index, .cell = cell, .usage = before});
    }
    is_order_relevant_ = is_order_relevant_ || amount.is_saturated() || before.is_saturated() ||
                         usage.is_saturated();
    set_usage(index, cell, usage);
}

void UsageView::take_back(std::size_t until) {
    while (undo_.size() > until) {
        const Saved saved = undo_.back();
        undo_.pop_back();
        set_usage(saved.node, saved.cell, saved.usage);
    }
}

void UsageView::add(const Demand& demand) {
    version_ = ++changes_;
    leaves_.take(demand.leaves, 1, demand.starts);
    for (const auto& usage : demand.usages) {
        Amount amount = usage.amount;
        is_order_relevant_ = is_order_relevant_ || amount < Amount();  // it stays in the node
        for (NodeIndex at = demand.cluster_queue; at.is_valid(); at = node(at).parent) {
            const std::uint32_t here = own_cell(at, usage.flavor_resource);
            const Amount local = copies_[here].local_available();
            change(at, here, copies_[here].usage + amount, amount);
            if (amount <= local) {
                break;
            }
            amount -= local;
        }
    }
}

void UsageView::remove(const Demand& demand) {
    version_ = ++changes_;
    leaves_.take(demand.leaves, -1, demand.starts);
    for (const auto& usage : demand.usages) {
        Amount amount = usage.amount;
        is_order_relevant_ = is_order_relevant_ || amount < Amount();
        for (NodeIndex at = demand.cluster_queue; at.is_valid(); at = node(at).parent) {
            const std::uint32_t here = own_cell(at, usage.flavor_resource);
            const Amount stored_in_parent = copies_[here].usage - copies_[here].local();
            change(at, here, copies_[here].usage - amount, amount);
            if (stored_in_parent <= Amount()) {
                break;
            }
            amount = min(amount, stored_in_parent);
        }
    }
}

}  // namespace sluice::engine
