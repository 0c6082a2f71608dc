#include "engine/reference.hpp"

#include <algorithm>
#include <numeric>

namespace sluice::reference {

/// Less borrowing first, then higher priority, then earlier.
std::vector<std::size_t> Cluster::classical_order(const std::vector<Try>& tries) const {
    std::vector<std::size_t> order(tries.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const Try& x = tries[a];
        const Try& y = tries[b];
        if (options_.gates.prioritize_preemptor_workloads && x.is_preemptor != y.is_preemptor) {
            return x.is_preemptor;
        }
        if (x.assignment.level != y.assignment.level) {
            return x.assignment.level < y.assignment.level;
        }
        const engine::Workload& v = *x.head.workload;
        const engine::Workload& w = *y.head.workload;
        if (options_.gates.priority_sorting_within_cohort && v.priority != w.priority) {
            return v.priority > w.priority;
        }
        if (v.queue_order != w.queue_order) {
            return v.queue_order < w.queue_order;
        }
        return v.uid != w.uid ? v.uid < w.uid : x.key < y.key;
    });
    return order;
}

bool Cluster::wins(
    const std::vector<Try>& tries,
    std::size_t a,
    std::size_t b,
    const Share& share_of_a,
    const Share& share_of_b
) const {
    const Try& x = tries[a];
    const Try& y = tries[b];
    if (options_.gates.prioritize_preemptor_workloads && x.is_preemptor != y.is_preemptor) {
        return x.is_preemptor;
    }
    if (options_.gates.fair_sharing_prioritize_non_borrowing) {
        const auto borrows = [](const Try& attempt, const Share& share) {
            return std::any_of(share.borrowed.begin(), share.borrowed.end(), [&](int pair) {
                const auto used = attempt.assignment.usage.find(pair);
                return used != attempt.assignment.usage.end() && used->second > Amount();
            });
        };
        const bool x_borrows = borrows(x, share_of_a);
        if (x_borrows != borrows(y, share_of_b)) {
            return !x_borrows;
        }
    }
    if (const int order = compare(share_of_a, share_of_b); order != 0) {
        return order < 0;
    }
    const engine::Workload& v = *x.head.workload;
    const engine::Workload& w = *y.head.workload;
    if (options_.gates.priority_sorting_within_cohort && v.priority != w.priority) {
        return v.priority > w.priority;
    }
    if (v.queue_order != w.queue_order) {
        return v.queue_order < w.queue_order;
    }
    return v.uid != w.uid ? v.uid < w.uid : x.key < y.key;
}

namespace {

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

}  // namespace

std::size_t Cluster::tournament(
    const Snapshot& snapshot,
    const std::vector<Try>& tries,
    const std::map<int, std::size_t>& entries,
    const std::map<std::pair<int, std::size_t>, Share>& shares,
    int cohort
) const {
    std::vector<std::size_t> candidates;
    for (const int child : snapshot.at(cohort).child_cohorts) {
        const std::size_t winner = tournament(snapshot, tries, entries, shares, child);
        if (winner != kNobody) {
            candidates.push_back(winner);
        }
    }
    for (const int child : snapshot.at(cohort).child_cluster_queues) {
        if (const auto entry = entries.find(child); entry != entries.end()) {
            candidates.push_back(entry->second);
        }
    }
    std::size_t best = kNobody;
    for (const std::size_t candidate : candidates) {
        const bool better =
            best == kNobody ||
            wins(tries, candidate, best, shares.at({cohort, candidate}), shares.at({cohort, best}));
        best = better ? candidate : best;
    }
    return best;
}

/// Under fair sharing: roots by name, and within one the winner of the tournament.
std::optional<std::size_t> Cluster::fair_next(
    Snapshot& snapshot, const std::vector<Try>& tries, const std::set<std::size_t>& left
) const {
    if (left.empty()) {
        return std::nullopt;
    }
    const auto root_of_try = [&](std::size_t i) { return snapshot.root(tries[i].cluster_queue); };
    const std::size_t first =
        *std::min_element(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
            return snapshot.at(root_of_try(a)).name < snapshot.at(root_of_try(b)).name;
        });
    const int root = root_of_try(first);
    if (root == tries[first].cluster_queue) {
        return first;
    }
    std::map<int, std::size_t> entries;
    std::map<std::pair<int, std::size_t>, Share> shares;  // by parent cohort and entry
    for (const std::size_t i : left) {
        if (root_of_try(i) != root) {
            continue;
        }
        const int queue = tries[i].cluster_queue;
        entries.emplace(queue, i);
        const auto saved = snapshot.usage;
        snapshot.add(queue, tries[i].assignment.usage);
        Share share = snapshot.share(queue);
        for (const int ancestor : snapshot.ancestors(queue)) {
            shares[{ancestor, i}] = share;
            share = snapshot.share(ancestor);
        }
        snapshot.usage = saved;
    }
    return tournament(snapshot, tries, entries, shares, root);
}

}  // namespace sluice::reference
