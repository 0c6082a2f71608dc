#include "engine/reference_snapshot.hpp"

#include <algorithm>
#include <limits>

namespace sluice::reference {

namespace {

const Amount kZero;

bool borrows_without_weight(const Share& share) {
    return share.weight == 0 && share.ratio != 0;
}

double weighted(const Share& share) {
    if (share.ratio == 0) {
        return 0;
    }
    if (share.weight == 0) {
        return std::numeric_limits<double>::infinity();
    }
    return share.ratio / share.weight;
}

int compare(double a, double b) {
    return a < b ? -1 : (a > b ? 1 : 0);
}

}  // namespace

int compare(const Share& a, const Share& b) {
    if (borrows_without_weight(a) && borrows_without_weight(b)) {
        return compare(a.ratio, b.ratio);
    }
    if (borrows_without_weight(a)) {
        return 1;
    }
    if (borrows_without_weight(b)) {
        return -1;
    }
    return compare(weighted(a), weighted(b));
}

void Snapshot::derive() {
    for (int node = 0; node < int(nodes.size()); ++node) {
        if (!has_parent(node)) {
            derive_below(node);
        }
    }
}

void Snapshot::derive_below(int node) {
    Node& self = at(node);
    self.subtree_quota.assign(pairs.size(), kZero);
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
        self.subtree_quota[pair] = self.quotas[pair].nominal;
    }
    std::vector<int> children = self.child_cohorts;
    children.insert(
        children.end(), self.child_cluster_queues.begin(), self.child_cluster_queues.end()
    );
    for (const int child : children) {
        derive_below(child);
        for (int pair = 0; pair < int(pairs.size()); ++pair) {
            const auto at_pair = std::size_t(pair);
            self.subtree_quota[at_pair] += quota(child, pair) - local(child, pair);
            self.mentioned[at_pair] = self.mentioned[at_pair] || at(child).mentioned[at_pair];
            usage[std::size_t(node)][at_pair] += max(kZero, used(child, pair) - local(child, pair));
        }
    }
}

Amount Snapshot::local(int node, int pair) const {
    const auto& limit = limits(node, pair).lending_limit;
    return limit ? max(kZero, quota(node, pair) - *limit) : kZero;
}

Amount Snapshot::local_available(int node, int pair) const {
    return max(kZero, local(node, pair) - used(node, pair));
}

Amount Snapshot::available_in_tree(int node, int pair) const {
    if (!has_parent(node)) {
        return quota(node, pair) - used(node, pair);
    }
    Amount from_parent = available_in_tree(at(node).parent, pair);
    if (const auto& limit = limits(node, pair).borrowing_limit) {
        const Amount stored = quota(node, pair) - local(node, pair);
        const Amount used_there = max(kZero, used(node, pair) - local(node, pair));
        from_parent = min(from_parent, stored - used_there + *limit);
    }
    return local_available(node, pair) + from_parent;
}

Amount Snapshot::available(int cluster_queue, int pair) const {
    return max(kZero, available_in_tree(cluster_queue, pair));
}

std::pair<int, bool> Snapshot::bottleneck(int node, int pair) const {
    if (!has_parent(node)) {
        return {node, false};
    }
    if (const auto& limit = limits(node, pair).borrowing_limit) {
        const Amount stored = quota(node, pair) - local(node, pair);
        const Amount used_there = max(kZero, used(node, pair) - local(node, pair));
        if (stored - used_there + *limit <= available_in_tree(at(node).parent, pair)) {
            return {node, true};
        }
    }
    return bottleneck(at(node).parent, pair);
}

Amount Snapshot::potential(int node, int pair) const {
    if (!has_parent(node)) {
        return quota(node, pair);
    }
    const Amount all = local(node, pair) + potential(at(node).parent, pair);
    const auto& limit = limits(node, pair).borrowing_limit;
    return limit ? min(all, quota(node, pair) + *limit) : all;
}

bool Snapshot::borrowing_with(int node, int pair, Amount value) const {
    return used(node, pair) + value > quota(node, pair);
}

bool Snapshot::is_within_quota(int node, const std::set<int>& among) const {
    return std::none_of(among.begin(), among.end(), [&](int pair) {
        return is_borrowing(node, pair);
    });
}

int Snapshot::height(int cohort) const {
    const Node& self = at(cohort);
    const bool has_queue = std::any_of(
        self.child_cluster_queues.begin(),
        self.child_cluster_queues.end(),
        [&](int child) { return at(child).active; }
    );
    int result = has_queue || !self.child_cohorts.empty() ? 1 : 0;
    for (const int child : self.child_cohorts) {
        result = std::max(result, height(child) + 1);
    }
    return result;
}

std::pair<int, bool> Snapshot::lowest_fit(int cluster_queue, int pair, Amount value) const {
    if (!borrowing_with(cluster_queue, pair, value) || !has_parent(cluster_queue)) {
        return {0, has_parent(cluster_queue)};
    }
    Amount remaining = value - local_available(cluster_queue, pair);
    for (const int ancestor : ancestors(cluster_queue)) {
        if (!borrowing_with(ancestor, pair, remaining)) {
            return {height(ancestor), has_parent(ancestor)};
        }
        remaining -= local_available(ancestor, pair);
    }
    return {height(root(cluster_queue)), false};
}

int Snapshot::root(int node) const {
    return has_parent(node) ? root(at(node).parent) : node;
}

std::vector<int> Snapshot::ancestors(int node) const {
    std::vector<int> result;
    for (int at_node = at(node).parent; at_node >= 0; at_node = at(at_node).parent) {
        result.push_back(at_node);
    }
    return result;
}

std::vector<int> Snapshot::cluster_queues_below(int cohort) const {
    std::vector<int> result;
    for (const int child : at(cohort).child_cluster_queues) {
        if (at(child).active) {
            result.push_back(child);
        }
    }
    for (const int child : at(cohort).child_cohorts) {
        const std::vector<int> below = cluster_queues_below(child);
        result.insert(result.end(), below.begin(), below.end());
    }
    return result;
}

Share Snapshot::share(int node) const {
    Share share{.weight = at(node).weight, .ratio = 0, .resource = {}, .borrowed = {}};
    if (!has_parent(node)) {
        return share;
    }
    std::map<std::string, Amount> borrowed;
    for (int pair = 0; pair < int(pairs.size()); ++pair) {
        const Amount excess = used(node, pair) - quota(node, pair);
        if (at(node).mentioned[std::size_t(pair)] && excess > kZero) {
            borrowed[pairs[std::size_t(pair)].second] += excess;
            share.borrowed.push_back(pair);
        }
    }
    std::map<std::string, Amount> lendable;
    const int top = root(node);
    for (int pair = 0; pair < int(pairs.size()); ++pair) {
        if (at(top).mentioned[std::size_t(pair)]) {
            lendable[pairs[std::size_t(pair)].second] += potential(at(node).parent, pair);
        }
    }
    for (const auto& [resource, amount] : borrowed) {
        const Amount all = lendable[resource];
        if (all <= kZero) {
            continue;
        }
        const double ratio =
            static_cast<double>(amount.value()) * 1000.0 / static_cast<double>(all.value());
        if (ratio > share.ratio) {
            share.ratio = ratio;
            share.resource = resource;
        }
    }
    return share;
}

void Snapshot::add(int node, int pair, Amount value) {
    const Amount absorbed = local_available(node, pair);
    usage[std::size_t(node)][std::size_t(pair)] += value;
    if (has_parent(node) && value > absorbed) {
        add(at(node).parent, pair, value - absorbed);
    }
}

void Snapshot::remove(int node, int pair, Amount value) {
    const Amount stored = used(node, pair) - local(node, pair);
    usage[std::size_t(node)][std::size_t(pair)] -= value;
    if (stored > kZero && has_parent(node)) {
        remove(at(node).parent, pair, min(value, stored));
    }
}

void Snapshot::add(int node, const Quantities& quantities) {
    for (const auto& [pair, value] : quantities) {
        add(node, pair, value);
    }
}

void Snapshot::remove(int node, const Quantities& quantities) {
    for (const auto& [pair, value] : quantities) {
        remove(node, pair, value);
    }
}

void Snapshot::add_holder(int index) {
    add(holder(index).cluster_queue, holder(index).usage);
}

void Snapshot::remove_holder(int index) {
    remove(holder(index).cluster_queue, holder(index).usage);
}

}  // namespace sluice::reference
