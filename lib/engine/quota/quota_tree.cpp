#include "engine/quota/quota_tree.hpp"

#include "base/assert.hpp"

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
    auto index = make_index<NodeIndex>(nodes_.size());
    if (erased_.empty()) {
        nodes_.emplace_back();
    } else {
        index = erased_.back();
        erased_.pop_back();
    }
    Node& made = nodes_.write(index.at());
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

void QuotaTree::erase(NodeIndex index) {
    Node& node = nodes_.write(index.at());
    SLUICE_ASSERT(!is_stale() && !node.has_object && node.root == index && node.children.empty());
    (node.is_cluster_queue ? cluster_queues_ : cohorts_).write().erase(node.name);
    node = Node{};
    node.root = index;
    erased_.push_back(index);
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
    if (const std::size_t position = position_in(cells, flavor_resource); position < cells.size()) {
        return cells[position];
    }
    QuotaCell made;
    made.flavor_resource = flavor_resource;
    return *cells.insert(lower_bound_of(cells, flavor_resource), made);
}

std::size_t QuotaTree::search(
    std::span<const QuotaCell> cells, FlavorResourceIndex flavor_resource
) {
    const auto at = lower_bound_of(cells, flavor_resource);
    const bool found = at != cells.end() && at->flavor_resource == flavor_resource;
    return found ? static_cast<std::size_t>(at - cells.begin()) : cells.size();
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
