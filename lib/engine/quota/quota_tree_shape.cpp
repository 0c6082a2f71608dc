// Changes parents and quotas, and keeps heights and sums up to date.
#include "engine/quota/quota_tree.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sluice::engine {
bool QuotaTree::set_object(
    NodeIndex index, std::string_view parent, double weight, std::vector<DeclaredQuota> quotas
) {
    if (!parent.empty()) {
        intern_cohort(parent);
    }
    std::sort(quotas.begin(), quotas.end(), [](const DeclaredQuota& a, const DeclaredQuota& b) {
        return a.flavor_resource < b.flavor_resource;
    });
    Node& node = nodes_.write(index.at());
    const bool is_reweighed = std::exchange(node.weight, weight) != weight;
    if (node.has_object && node.parent_name == parent && node.declared == quotas) {
        return is_reweighed;
    }
    node.has_object = true;
    change_node(index, std::string(parent), std::move(quotas));
    return true;
}

void QuotaTree::remove_object(NodeIndex index) {
    set_active(index, false);
    nodes_.write(index.at()).has_object = false;
    nodes_.write(index.at()).weight = 1.0;
    change_node(index, "", {});
}

void QuotaTree::change_node(
    NodeIndex index, std::string parent, std::vector<DeclaredQuota> quotas
) {
    const NodeIndex to = parent.empty() ? NodeIndex{} : find_cohort(parent);
    nodes_.write(index.at()).parent_name = std::move(parent);
    const bool is_in_cycle =
        nodes_[index.at()].in_cycle || (to.is_valid() && nodes_[to.at()].in_cycle);
    if (needs_rebuild_ || is_in_cycle || is_at_or_below(to, index)) {
        nodes_.write(index.at()).declared = std::move(quotas);
        changed_.push_back(index);
        needs_rebuild_ = true;
        return;
    }
    sum_again();  // a change of wrong sums gives wrong sums
    touch(nodes_[index.at()].root);
    if (to == nodes_[index.at()].parent) {
        change_quotas(index, std::move(quotas));
    } else {
        detach(index);
        change_quotas(index, std::move(quotas));
        attach(index, to);
    }
    touch(nodes_[index.at()].root);
}

bool QuotaTree::is_at_or_below(NodeIndex node, NodeIndex ancestor) const {
    for (NodeIndex at = node; at.is_valid(); at = nodes_[at.at()].parent) {
        if (at == ancestor) {
            return true;
        }
    }
    return false;
}

QuotaTree::Contribution QuotaTree::contribution_of(const QuotaCell& cell) {
    return {
        .lent = cell.subtree - cell.local(),
        .over = max(Amount(), cell.usage - cell.local()),
        .declared = cell.declared(),
    };
}

void QuotaTree::shift(
    NodeIndex index, FlavorResourceIndex flavor_resource, Contribution before, Contribution after
) {
    for (NodeIndex at = index; at.is_valid() && before != after; at = nodes_[at.at()].parent) {
        QuotaCell& cell = ensure_cell(at, flavor_resource);
        const Contribution mine = contribution_of(cell);
        const Amount more_lent = after.lent - before.lent;
        const Amount more_over = after.over - before.over;
        const bool was_saturated = cell.subtree.is_saturated() || cell.usage.is_saturated();
        cell.subtree += more_lent;
        cell.usage += more_over;
        cell.declarations += static_cast<int>(after.declared) - static_cast<int>(before.declared);
        const auto amounts = {
            before.lent,
            before.over,
            after.lent,
            after.over,
            more_lent,
            more_over,
            cell.subtree,
            cell.usage
        };
        if (was_saturated || std::any_of(amounts.begin(), amounts.end(), [](Amount a) {
                return a.is_saturated();
            })) {
            mark_wrong_sums(at);
            return;
        }
        before = mine;
        after = contribution_of(cell);
    }
}

std::optional<std::int32_t> QuotaTree::counted_height(const Node& node) const {
    return node.is_cluster_queue && !node.active ? std::nullopt : std::optional(node.height);
}

void QuotaTree::child_height_changed(
    NodeIndex index, std::optional<std::int32_t> before, std::optional<std::int32_t> after
) {
    for (NodeIndex at = index; at.is_valid(); at = nodes_[at.at()].parent) {
        Node& node = nodes_.write(at.at());
        auto& counts = node.child_heights;
        if (before && --counts[*before] == 0) {
            counts.erase(*before);
        }
        if (after) {
            ++counts[*after];
        }
        const std::int32_t height = counts.empty() ? 0 : counts.rbegin()->first + 1;
        if (height == node.height) {
            return;
        }
        before = node.height;
        after = height;
        node.height = height;
    }
}

void QuotaTree::set_active(NodeIndex index, bool active) {
    Node& node = nodes_.write(index.at());
    if (node.active == active) {
        return;
    }
    const auto before = counted_height(node);
    node.active = active;
    child_height_changed(node.parent, before, counted_height(node));
}

void QuotaTree::detach(NodeIndex index) {
    Node& node = nodes_.write(index.at());
    const NodeIndex parent = node.parent;
    if (!parent.is_valid()) {
        return;
    }
    for (const auto& cell : node.cells) {
        shift(parent, cell.flavor_resource, contribution_of(cell), {});
    }
    child_height_changed(parent, counted_height(node), std::nullopt);
    std::erase(nodes_.write(parent.at()).children, index);
    node.parent = NodeIndex{};
    set_root_below(index);
}

void QuotaTree::attach(NodeIndex index, NodeIndex parent) {
    if (!parent.is_valid()) {
        return;
    }
    Node& node = nodes_.write(index.at());
    sum_again();
    for (const auto& cell : node.cells) {
        shift(parent, cell.flavor_resource, {}, contribution_of(cell));
    }
    child_height_changed(parent, std::nullopt, counted_height(node));
    auto& siblings = nodes_.write(parent.at()).children;
    const auto before = [this](NodeIndex a, NodeIndex b) {
        const Node& x = nodes_[a.at()];
        const Node& y = nodes_[b.at()];
        return std::tie(x.is_cluster_queue, x.name) < std::tie(y.is_cluster_queue, y.name);
    };
    siblings.insert(std::lower_bound(siblings.begin(), siblings.end(), index, before), index);
    node.parent = parent;
    set_root_below(index);
}

std::vector<NodeIndex> QuotaTree::parents_first(const std::vector<NodeIndex>& roots) const {
    std::vector<NodeIndex> order = roots;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto& children = nodes_[order[i].at()].children;
        order.insert(order.end(), children.begin(), children.end());
    }
    return order;
}

void QuotaTree::set_root_below(NodeIndex index) {
    for (const auto at : parents_first({index})) {
        Node& node = nodes_.write(at.at());
        const NodeIndex parent = node.parent;
        if (node.is_waiting) {
            nodes_.write(node.root.at()).waiting.erase(at);
        }
        for (auto& cell : node.cells) {
            if (cell.above_quota != 0) {
                remove_from_above_quota(node.root, cell);
            }
        }
        node.root = parent.is_valid() ? nodes_[parent.at()].root : at;
        node.depth = parent.is_valid() ? nodes_[parent.at()].depth + 1 : 0;
        if (node.is_waiting) {
            nodes_.write(node.root.at()).waiting.insert(at);
        }
        for (auto& cell : node.cells) {
            update_above_quota(at, cell);
        }
    }
}

void QuotaTree::change_quotas(NodeIndex index, std::vector<DeclaredQuota> quotas) {
    const auto before = std::exchange(nodes_.write(index.at()).declared, std::move(quotas));
    const auto& after = nodes_[index.at()].declared;
    auto old = before.begin();
    auto now = after.begin();
    while (old != before.end() || now != after.end()) {
        const bool has_old = old != before.end() &&
                             (now == after.end() || old->flavor_resource <= now->flavor_resource);
        const bool has_now = now != after.end() &&
                             (old == before.end() || now->flavor_resource <= old->flavor_resource);
        change_quota(index, has_old ? &*old : nullptr, has_now ? &*now : nullptr);
        old += has_old ? 1 : 0;
        now += has_now ? 1 : 0;
    }
}

void QuotaTree::change_quota(
    NodeIndex index, const DeclaredQuota* before, const DeclaredQuota* after
) {
    const auto flavor_resource = (before != nullptr ? before : after)->flavor_resource;
    QuotaCell& cell = ensure_cell(index, flavor_resource);
    const Contribution mine = contribution_of(cell);
    const Amount more = (after != nullptr ? after->nominal : Amount()) - cell.nominal;
    const bool was_saturated = cell.subtree.is_saturated() || cell.nominal.is_saturated();
    cell.subtree += more;
    cell.nominal = after != nullptr ? after->nominal : Amount();
    cell.borrowing_limit = after != nullptr ? after->borrowing_limit : std::nullopt;
    cell.lending_limit = after != nullptr ? after->lending_limit : std::nullopt;
    cell.declarations += (after != nullptr ? 1 : 0) - (before != nullptr ? 1 : 0);
    update_above_quota(index, cell);
    if (was_saturated || more.is_saturated() || cell.subtree.is_saturated()) {
        mark_wrong_sums(index);
        return;
    }
    shift(nodes_[index.at()].parent, flavor_resource, mine, contribution_of(cell));
}

void QuotaTree::accumulate(NodeIndex index) {
    Node& node = nodes_.write(index.at());
    for (auto& cell : node.cells) {
        if (cell.above_quota != 0) {
            remove_from_above_quota(node.root, cell);
        }
    }
    node.cells.clear();
    node.child_heights.clear();
    node.height = 0;
    for (const auto& quota : node.declared) {
        node.cells.push_back(QuotaCell{
            .flavor_resource = quota.flavor_resource,
            .nominal = quota.nominal,
            .borrowing_limit = quota.borrowing_limit,
            .lending_limit = quota.lending_limit,
            .subtree = quota.nominal,
            .usage = Amount(),
            .declarations = 1,
            .above_quota = 0,
        });
    }
    for (const auto& usage : node.own_usage) {
        ensure_cell(index, usage.flavor_resource).usage = usage.amount;
    }
    for (const auto child_index : node.children) {
        const Node& child = nodes_[child_index.at()];
        if (const auto height = counted_height(child)) {
            ++node.child_heights[*height];
        }
        for (const auto& from : child.cells) {
            QuotaCell& into = ensure_cell(index, from.flavor_resource);
            const Contribution more = contribution_of(from);
            into.declarations += more.declared ? 1 : 0;
            into.subtree += more.lent;
            into.usage += more.over;
        }
    }
    for (auto& cell : node.cells) {
        update_above_quota(index, cell);
    }
    node.height = node.child_heights.empty() ? 0 : node.child_heights.rbegin()->first + 1;
}

void QuotaTree::sum_again() {
    if (wrong_sums_.empty()) {
        return;
    }
    std::vector<NodeIndex> roots;
    for (const auto index : std::exchange(wrong_sums_, {})) {
        roots.push_back(nodes_[index.at()].root);
    }
    std::sort(roots.begin(), roots.end());
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    const auto order = parents_first(roots);
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        accumulate(*at);
    }
}

void QuotaTree::find_cycles() {
    // A walk along parents that is longer than the number of nodes has met a cycle.
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        std::size_t steps = 0;
        NodeIndex at = make_index<NodeIndex>(i);
        while (nodes_[at.at()].parent.is_valid() && !nodes_[at.at()].in_cycle &&
               steps <= nodes_.size()) {
            at = nodes_[at.at()].parent;
            ++steps;
        }
        nodes_.write(i).in_cycle = nodes_[at.at()].in_cycle || steps > nodes_.size();
    }
}

void QuotaTree::link() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        Node& node = nodes_.write(i);
        node.children.clear();
        node.parent = node.parent_name.empty() ? NodeIndex{} : find_cohort(node.parent_name);
        node.in_cycle = false;
    }
    find_cycles();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].in_cycle) {
            nodes_.write(i).parent = NodeIndex{};
        }
    }
    const auto attach_all = [this](const NodesByName& names) {
        for (const auto& [name, index] : names) {
            const NodeIndex parent = nodes_[index.at()].parent;
            if (parent.is_valid()) {
                nodes_.write(parent.at()).children.push_back(index);
            }
        }
    };
    attach_all(*cohorts_);
    attach_all(*cluster_queues_);
}

void QuotaTree::rebuild(std::vector<NodeIndex>& touched) {
    std::vector<bool> root_changed(nodes_.size(), false);
    const auto note_roots = [&] {
        for (const auto index : changed_) {
            root_changed[nodes_[index.at()].root.at()] = true;
        }
    };
    note_roots();  // the trees that changed nodes left
    std::vector<NodeIndex> root_before;
    root_before.reserve(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        root_before.push_back(nodes_[i].root);
    }
    link();
    std::vector<NodeIndex> roots;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (!nodes_[i].parent.is_valid()) {
            roots.push_back(make_index<NodeIndex>(i));
        }
    }
    for (const auto root : roots) {
        set_root_below(root);
    }
    note_roots();  // the trees that changed nodes are in now
    wrong_sums_ = roots;
    sum_again();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Node& node = nodes_[i];
        const NodeIndex before = root_before[i];
        if (node.is_cluster_queue &&
            (root_changed[node.root.at()] || root_changed[before.at()] || before != node.root)) {
            touched.push_back(make_index<NodeIndex>(i));
            touch(touched.back());
        }
    }
    changed_.clear();
    needs_rebuild_ = false;
}

void QuotaTree::refresh(std::vector<NodeIndex>& touched) {
    if (needs_rebuild_) {
        rebuild(touched);
    }
    sum_again();
}

}  // namespace sluice::engine
