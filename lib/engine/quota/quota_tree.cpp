#include "engine/quota/quota_tree.hpp"

#include <algorithm>

namespace sluice::engine {

NodeIndex QuotaTree::find_cluster_queue(std::string_view name) const {
    const auto at = cluster_queues_->find(name);
    return at == cluster_queues_->end() ? NodeIndex{} : at->second;
}

NodeIndex QuotaTree::find_cohort(std::string_view name) const {
    const auto at = cohorts_->find(name);
    return at == cohorts_->end() ? NodeIndex{} : at->second;
}

NodeIndex QuotaTree::add_node(std::string_view name, bool is_cluster_queue) {
    const auto index = make_index<NodeIndex>(nodes_.size());
    Node& made = nodes_.emplace_back();
    made.name = name;
    made.is_cluster_queue = is_cluster_queue;
    made.root = index;
    made.changed_at = ++changes_;
    return index;
}

NodeIndex QuotaTree::intern_cluster_queue(std::string_view name) {
    const auto found = find_cluster_queue(name);
    if (found.is_valid()) {
        return found;
    }
    const auto made = add_node(name, true);
    cluster_queues_.write().emplace(name, made);
    return made;
}

NodeIndex QuotaTree::intern_cohort(std::string_view name) {
    const auto found = find_cohort(name);
    if (found.is_valid()) {
        return found;
    }
    const auto made = add_node(name, false);
    cohorts_.write().emplace(name, made);
    return made;
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

QuotaCell& QuotaTree::ensure_cell(NodeIndex index, FlavorResourceIndex flavor_resource) {
    auto& cells = nodes_.write(index.at()).cells;
    const auto at = lower_bound_of(cells, flavor_resource);
    if (at != cells.end() && at->flavor_resource == flavor_resource) {
        return *at;
    }
    QuotaCell made;
    made.flavor_resource = flavor_resource;
    return *cells.insert(at, made);
}

std::size_t QuotaTree::search(
    const std::vector<QuotaCell>& cells, FlavorResourceIndex flavor_resource
) {
    const auto at = lower_bound_of(cells, flavor_resource);
    const bool found = at != cells.end() && at->flavor_resource == flavor_resource;
    return found ? static_cast<std::size_t>(at - cells.begin()) : cells.size();
}

QuotaTree::Path QuotaTree::path_to_root(NodeIndex index, FlavorResourceIndex flavor_resource)
    const {
    Path path;
    for (NodeIndex at = index; at.is_valid(); at = nodes_[at.at()].parent) {
        path.push_back({.node = at, .cell = &cell(at, flavor_resource)});
    }
    return path;
}

QuotaTree::Room QuotaTree::room(NodeIndex index, FlavorResourceIndex flavor_resource) const {
    const Path path = path_to_root(index, flavor_resource);
    const QuotaCell& root = *path.back().cell;
    Room room{.available = root.subtree - root.usage, .bottleneck = {.node = path.back().node}};
    for (std::size_t i = path.size() - 1; i-- > 0;) {
        const QuotaCell& here = *path[i].cell;
        if (here.borrowing_limit) {
            // Of the quota it has given to the parent, what it does not use there yet, and the
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

Amount QuotaTree::potential_available(NodeIndex index, FlavorResourceIndex flavor_resource) const {
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

bool QuotaTree::is_borrowing_with(
    NodeIndex index, FlavorResourceIndex flavor_resource, Amount amount
) const {
    const QuotaCell& here = cell(index, flavor_resource);
    return here.usage + amount > here.subtree;
}

bool QuotaTree::is_borrowing(NodeIndex index) const {
    const auto& cells = this->cells(index);
    return std::any_of(cells.begin(), cells.end(), [](const QuotaCell& cell) {
        return cell.declared() && cell.usage > cell.subtree;
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

std::uint64_t QuotaTree::generation(NodeIndex cluster_queue) const {
    const Node& node = nodes_[cluster_queue.at()];
    return std::max(node.changed_at, nodes_[node.root.at()].changed_at);
}

void QuotaTree::set_waiting(NodeIndex cluster_queue, bool waiting) {
    Node& node = nodes_.write(cluster_queue.at());
    if (node.is_waiting == waiting) {
        return;
    }
    node.is_waiting = waiting;
    auto& all = nodes_.write(node.root.at()).waiting;
    if (waiting) {
        all.insert(cluster_queue);
    } else {
        all.erase(cluster_queue);
    }
}

}  // namespace sluice::engine
