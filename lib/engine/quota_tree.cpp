#include "engine/quota_tree.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {
namespace {

template <class Items>
auto lower_bound_of(Items& items, FlavorResourceIndex flavor_resource) {
    return std::lower_bound(
        items.begin(),
        items.end(),
        flavor_resource,
        [](const auto& item, FlavorResourceIndex key) { return item.flavor_resource < key; }
    );
}

bool is_saturated(Amount amount) {
    return amount.is_unlimited() || amount == Amount::lowest();
}

}  // namespace

void add_to(Usages& usages, FlavorResourceIndex flavor_resource, Amount amount) {
    const auto at = lower_bound_of(usages, flavor_resource);
    if (at != usages.end() && at->flavor_resource == flavor_resource) {
        at->amount += amount;
    } else {
        usages.insert(at, Usage{.flavor_resource = flavor_resource, .amount = amount});
    }
}

Amount amount_of(const Usages& usages, FlavorResourceIndex flavor_resource) {
    const auto at = lower_bound_of(usages, flavor_resource);
    return at != usages.end() && at->flavor_resource == flavor_resource ? at->amount : Amount();
}

NodeIndex QuotaTree::find_cluster_queue(std::string_view name) const {
    const auto at = cluster_queues_.find(name);
    return at == cluster_queues_.end() ? NodeIndex{} : at->second;
}

NodeIndex QuotaTree::find_cohort(std::string_view name) const {
    const auto at = cohorts_.find(name);
    return at == cohorts_.end() ? NodeIndex{} : at->second;
}

NodeIndex QuotaTree::add_node(std::string_view name, bool is_cluster_queue) {
    const auto index = make_index<NodeIndex>(nodes_.size());
    Node& made = nodes_.emplace_back();
    made.name = name;
    made.is_cluster_queue = is_cluster_queue;
    made.root = index;
    changed_.push_back(index);
    stale_ = true;
    return index;
}

NodeIndex QuotaTree::intern_cluster_queue(std::string_view name) {
    const auto found = find_cluster_queue(name);
    if (found.is_valid()) {
        return found;
    }
    const auto made = add_node(name, true);
    cluster_queues_.emplace(name, made);
    return made;
}

NodeIndex QuotaTree::intern_cohort(std::string_view name) {
    const auto found = find_cohort(name);
    if (found.is_valid()) {
        return found;
    }
    const auto made = add_node(name, false);
    cohorts_.emplace(name, made);
    return made;
}

bool QuotaTree::declare(
    NodeIndex index, std::string_view parent, double weight, std::vector<DeclaredQuota> quotas
) {
    if (!parent.empty()) {
        intern_cohort(parent);
    }
    std::sort(quotas.begin(), quotas.end(), [](const DeclaredQuota& a, const DeclaredQuota& b) {
        return a.flavor_resource < b.flavor_resource;
    });
    Node& node = nodes_[index.at()];
    if (node.has_object && node.parent_name == parent && node.weight == weight &&
        node.declared == quotas) {
        return false;
    }
    node.has_object = true;
    node.parent_name = parent;
    node.weight = weight;
    node.declared = std::move(quotas);
    changed_.push_back(index);
    stale_ = true;
    return true;
}

void QuotaTree::undeclare(NodeIndex index) {
    Node& node = nodes_[index.at()];
    node.has_object = false;
    node.active = false;
    node.parent_name.clear();
    node.weight = 1.0;
    node.declared.clear();
    changed_.push_back(index);
    stale_ = true;
}

void QuotaTree::set_active(NodeIndex index, bool active) {
    Node& node = nodes_[index.at()];
    if (node.active == active) {
        return;
    }
    node.active = active;
    for (NodeIndex at = node.parent; at.is_valid(); at = nodes_[at.at()].parent) {
        Node& cohort = nodes_[at.at()];
        cohort.height = 0;
        for (const auto child : cohort.children) {
            const Node& c = nodes_[child.at()];
            if (!c.is_cluster_queue || c.active) {
                cohort.height = std::max(cohort.height, c.height + 1);
            }
        }
    }
}

std::vector<NodeIndex> QuotaTree::cluster_queues_of(NodeIndex root) const {
    std::vector<NodeIndex> found;
    std::vector<NodeIndex> open = {root};
    while (!open.empty()) {
        const NodeIndex index = open.back();
        open.pop_back();
        const Node& node = nodes_[index.at()];
        if (node.is_cluster_queue) {
            found.push_back(index);
        }
        open.insert(open.end(), node.children.begin(), node.children.end());
    }
    std::sort(found.begin(), found.end(), [this](NodeIndex a, NodeIndex b) {
        return nodes_[a.at()].name < nodes_[b.at()].name;
    });
    return found;
}

void QuotaTree::find_cycles() {
    // A walk along parents that is longer than there are nodes has met a cycle.
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        std::size_t steps = 0;
        NodeIndex at = make_index<NodeIndex>(i);
        while (nodes_[at.at()].parent.is_valid() && !nodes_[at.at()].in_cycle &&
               steps <= nodes_.size()) {
            at = nodes_[at.at()].parent;
            ++steps;
        }
        nodes_[i].in_cycle = nodes_[at.at()].in_cycle || steps > nodes_.size();
    }
}

void QuotaTree::link() {
    for (auto& node : nodes_) {
        node.children.clear();
        node.parent = node.parent_name.empty() ? NodeIndex{} : find_cohort(node.parent_name);
        node.in_cycle = false;
        node.height = 0;
    }
    find_cycles();
    for (auto& node : nodes_) {
        if (node.in_cycle) {
            node.parent = NodeIndex{};
        }
    }
    const auto attach = [this](const std::map<std::string, NodeIndex, std::less<>>& names) {
        for (const auto& [name, index] : names) {
            const NodeIndex parent = nodes_[index.at()].parent;
            if (parent.is_valid()) {
                nodes_[parent.at()].children.push_back(index);
            }
        }
    };
    attach(cohorts_);
    attach(cluster_queues_);
}

void QuotaTree::accumulate(NodeIndex index) {
    Node& node = nodes_[index.at()];
    node.cells.clear();
    for (const auto& quota : node.declared) {
        node.cells.push_back(QuotaCell{
            .flavor_resource = quota.flavor_resource,
            .nominal = quota.nominal,
            .borrowing_limit = quota.borrowing_limit,
            .lending_limit = quota.lending_limit,
            .subtree = quota.nominal,
            .usage = Amount(),
            .declared = true,
        });
    }
    for (const auto& usage : node.own_usage) {
        ensure_cell(index, usage.flavor_resource).usage = usage.amount;
    }
    for (const auto child_index : node.children) {
        const Node& child = nodes_[child_index.at()];
        if (!child.is_cluster_queue || child.active) {
            node.height = std::max(node.height, child.height + 1);
        }
        for (const auto& from : child.cells) {
            QuotaCell& into = ensure_cell(index, from.flavor_resource);
            into.declared = into.declared || from.declared;
            into.subtree += from.subtree - from.local();
            into.usage += max(Amount(), from.usage - from.local());
        }
    }
}

void QuotaTree::refresh(std::vector<NodeIndex>& touched) {
    if (!stale_) {
        return;
    }
    std::vector<bool> root_changed(nodes_.size(), false);
    const auto note_roots = [&] {
        for (const auto index : changed_) {
            root_changed[nodes_[index.at()].root.at()] = true;
        }
    };
    note_roots();  // the trees that nodes left
    std::vector<NodeIndex> root_before(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        root_before[i] = nodes_[i].root;
    }
    link();
    // Parents before children, then children before parents for the sums.
    std::vector<NodeIndex> order;
    order.reserve(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (!nodes_[i].parent.is_valid()) {
            const auto root = make_index<NodeIndex>(i);
            nodes_[i].root = root;
            nodes_[i].depth = 0;
            order.push_back(root);
        }
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto index = order[i];
        for (const auto child : nodes_[index.at()].children) {
            nodes_[child.at()].root = nodes_[index.at()].root;
            nodes_[child.at()].depth = nodes_[index.at()].depth + 1;
            order.push_back(child);
        }
    }
    note_roots();  // the trees they are in now
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        accumulate(*at);
    }
    for (const auto index : order) {
        const Node& node = nodes_[index.at()];
        const NodeIndex before = root_before[index.at()];
        if (node.is_cluster_queue &&
            (root_changed[node.root.at()] || root_changed[before.at()] || before != node.root)) {
            touched.push_back(index);
        }
    }
    changed_.clear();
    stale_ = false;
}

QuotaCell& QuotaTree::ensure_cell(NodeIndex index, FlavorResourceIndex flavor_resource) {
    auto& cells = nodes_[index.at()].cells;
    const auto at = lower_bound_of(cells, flavor_resource);
    if (at != cells.end() && at->flavor_resource == flavor_resource) {
        return *at;
    }
    QuotaCell made;
    made.flavor_resource = flavor_resource;
    return *cells.insert(at, made);
}

const QuotaCell* QuotaTree::find_cell(NodeIndex index, FlavorResourceIndex flavor_resource) const {
    const auto& cells = nodes_[index.at()].cells;
    const auto at = lower_bound_of(cells, flavor_resource);
    return at != cells.end() && at->flavor_resource == flavor_resource ? &*at : nullptr;
}

std::uint32_t QuotaTree::cell_position(NodeIndex index, FlavorResourceIndex flavor_resource) const {
    const QuotaCell* cell = find_cell(index, flavor_resource);
    SLUICE_ASSERT(cell != nullptr);
    return static_cast<std::uint32_t>(cell - nodes_[index.at()].cells.data());
}

QuotaCell QuotaTree::cell(NodeIndex index, FlavorResourceIndex flavor_resource) const {
    const QuotaCell* found = find_cell(index, flavor_resource);
    if (found != nullptr) {
        return *found;
    }
    QuotaCell none;
    none.flavor_resource = flavor_resource;
    return none;
}

Amount QuotaTree::available(NodeIndex index, FlavorResourceIndex flavor_resource) const {
    const QuotaCell here = cell(index, flavor_resource);
    const NodeIndex parent = nodes_[index.at()].parent;
    if (!parent.is_valid()) {
        return here.subtree - here.usage;
    }
    Amount from_parent = available(parent, flavor_resource);
    if (here.borrowing_limit) {
        // Of the quota it has given to the parent, what it does not use there yet, and the limit on
        // top.
        const Amount stored_in_parent = here.subtree - here.local();
        const Amount used_in_parent = max(Amount(), here.usage - here.local());
        from_parent = min(from_parent, stored_in_parent - used_in_parent + *here.borrowing_limit);
    }
    return here.local_available() + from_parent;
}

Amount QuotaTree::potential_available(NodeIndex index, FlavorResourceIndex flavor_resource) const {
    const QuotaCell here = cell(index, flavor_resource);
    const NodeIndex parent = nodes_[index.at()].parent;
    if (!parent.is_valid()) {
        return here.subtree;
    }
    const Amount with_parent = here.local() + potential_available(parent, flavor_resource);
    return here.borrowing_limit ? min(with_parent, here.subtree + *here.borrowing_limit)
                                : with_parent;
}

bool QuotaTree::is_borrowing_with(
    NodeIndex index, FlavorResourceIndex flavor_resource, Amount amount
) const {
    const QuotaCell here = cell(index, flavor_resource);
    return here.usage + amount > here.subtree;
}

bool QuotaTree::is_borrowing(NodeIndex index) const {
    const auto& cells = nodes_[index.at()].cells;
    return std::any_of(cells.begin(), cells.end(), [](const QuotaCell& cell) {
        return cell.declared && cell.usage > cell.subtree;
    });
}

QuotaTree::Fit QuotaTree::lowest_fit(
    NodeIndex cluster_queue, FlavorResourceIndex flavor_resource, Amount amount
) const {
    const NodeIndex parent = nodes_[cluster_queue.at()].parent;
    if (!parent.is_valid() || !is_borrowing_with(cluster_queue, flavor_resource, amount)) {
        return {.height = 0, .may_reclaim = parent.is_valid()};
    }
    Amount rest = amount - cell(cluster_queue, flavor_resource).local_available();
    NodeIndex at = parent;
    while (true) {
        const Node& node = nodes_[at.at()];
        if (!is_borrowing_with(at, flavor_resource, rest)) {
            return {.height = node.height, .may_reclaim = node.parent.is_valid()};
        }
        if (!node.parent.is_valid()) {
            return {.height = node.height, .may_reclaim = false};
        }
        rest -= cell(at, flavor_resource).local_available();
        at = node.parent;
    }
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
        const bool was_saturated = is_saturated(here.usage);
        here.usage += amount;
        if (!save && (was_saturated || is_saturated(here.usage) || is_saturated(amount))) {
            note_saturation(index);
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
        const bool was_saturated = is_saturated(here.usage);
        here.usage -= amount;
        if (!save && (was_saturated || is_saturated(here.usage) || is_saturated(amount))) {
            note_saturation(index);
        }
        if (stored_in_parent <= Amount()) {
            return;
        }
        amount = min(amount, stored_in_parent);
        at = node.parent;
    }
}

void QuotaTree::note_saturation(NodeIndex index) {
    // What was cut off cannot be subtracted again: the sums are made anew from the holders'.
    changed_.push_back(index);
    stale_ = true;
}

void QuotaTree::add_usage(NodeIndex cluster_queue, const Usages& usages) {
    Node& node = nodes_[cluster_queue.at()];
    for (const auto& usage : usages) {
        add_to(node.own_usage, usage.flavor_resource, usage.amount);
        if (!stale_) {
            for (NodeIndex at = cluster_queue; at.is_valid(); at = nodes_[at.at()].parent) {
                ensure_cell(at, usage.flavor_resource);
            }
            add(cluster_queue, usage.flavor_resource, usage.amount, false);
        }
    }
}

void QuotaTree::remove_usage(NodeIndex cluster_queue, const Usages& usages) {
    Node& node = nodes_[cluster_queue.at()];
    for (const auto& usage : usages) {
        add_to(node.own_usage, usage.flavor_resource, Amount() - usage.amount);
        if (!stale_) {
            remove(cluster_queue, usage.flavor_resource, usage.amount, false);
        }
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
    changed_.push_back(cluster_queue);
    stale_ = true;
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

void QuotaTree::rollback(Mark mark) {
    while (undo_.size() > mark) {
        const Saved& saved = undo_.back();
        nodes_[saved.node.at()].cells[saved.cell].usage = saved.usage;
        undo_.pop_back();
    }
}

}  // namespace sluice::engine
