#pragma once

#include "engine/types/objects.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// The slow and obvious engine that the real one is compared with: everything is worked out anew
/// from the objects in each cycle, by the formulas of the specification as they stand there.
namespace sluice::reference {

using engine::Amount;
using engine::Time;

/// (flavor, resource); within a snapshot a small number stands for it.
using Pair = std::pair<std::string, std::string>;
/// Amounts by the number of their pair.
using Quantities = std::map<int, Amount>;

/// What the pods of one podSet hold.
struct HeldPodSet {
    std::string name;
    std::int32_t count = 0;
    std::map<std::string, std::string> flavors;  ///< by resource
    std::map<std::string, Amount> amounts;       ///< by resource
};

/// A workload that holds quota, as a candidate for preemption sees it.
struct Holder {
    std::string key;
    std::string uid;
    std::int64_t priority = 0;
    Time queue_order;
    std::optional<Time> reserved_at;
    bool evicted = false;
    int cluster_queue = -1;
    Quantities usage;
    std::vector<HeldPodSet> pod_sets;
    std::string local_queue;
    /// Of the LocalQueue, where the ClusterQueue shares admission fairly.
    std::optional<double> fair_usage;
};

/// A ClusterQueue or cohort. Numbers index Snapshot::nodes.
struct Node {
    std::string name;
    const engine::ClusterQueue* cluster_queue = nullptr;  ///< none: a cohort
    bool active = true;  ///< an inactive ClusterQueue lends and is charged, and has no other part
    int parent = -1;
    std::vector<int> child_cohorts;         ///< by name
    std::vector<int> child_cluster_queues;  ///< by name
    double weight = 1.0;
    std::vector<engine::ResourceQuota> quotas;  ///< by pair
    std::vector<Amount> subtree_quota;
    std::vector<bool> mentioned;  ///< pairs that this subtree has quota of, be it 0
    std::vector<int> holders;     ///< of an active ClusterQueue
};

/// Dominant resource share (KEP-1714).
struct Share {
    double weight = 1.0;
    double ratio = 0;
    std::string resource;
    std::vector<int> borrowed;

    bool is_borrowing() const { return !borrowed.empty(); }
};

/// -1, 0 or 1: a's share is lower, equal, higher.
int compare(const Share& a, const Share& b);

/// The cluster as one cycle sees it. Only `usage` changes while a cycle runs; undo is putting a
/// copy back.
struct Snapshot {
    std::vector<Pair> pairs;
    std::map<Pair, int> pair_numbers;
    std::vector<Node> nodes;
    std::vector<std::vector<Amount>> usage;  ///< by node, by pair
    std::vector<Holder> holders;
    std::map<std::string, int> cluster_queues;  ///< those that are not in a cyclic tree

    /// Fills subtree quotas and the usages of 4.1, once all nodes and holders' usages of queues are
    /// in.
    void derive();

    Amount local(int node, int pair) const;
    Amount local_available(int node, int pair) const;
    /// 4.2, not clamped.
    Amount available_in_tree(int node, int pair) const;
    Amount available(int cluster_queue, int pair) const;
    /// The node whose quota (false) or borrowing limit (true) leaves no more than is available.
    std::pair<int, bool> bottleneck(int node, int pair) const;
    Amount potential(int node, int pair) const;
    bool borrowing_with(int node, int pair, Amount value) const;
    bool is_borrowing(int node, int pair) const { return borrowing_with(node, pair, Amount()); }
    /// No usage above the subtree's quota on any of these pairs.
    bool is_within_quota(int node, const std::set<int>& among) const;
    int height(int cohort) const;
    /// 4.8: level, and whether preemption could reclaim for it within less than the whole tree.
    std::pair<int, bool> lowest_fit(int cluster_queue, int pair, Amount value) const;
    int root(int node) const;
    bool has_parent(int node) const { return nodes[std::size_t(node)].parent >= 0; }
    std::vector<int> ancestors(int node) const;  ///< parent first
    /// Active ClusterQueues below a cohort.
    std::vector<int> cluster_queues_below(int cohort) const;
    Share share(int node) const;

    void add(int node, int pair, Amount value);     ///< 4.3
    void remove(int node, int pair, Amount value);  ///< 4.3
    void add(int node, const Quantities& quantities);
    void remove(int node, const Quantities& quantities);
    void add_holder(int holder);
    void remove_holder(int holder);

    Node& at(int node) { return nodes[std::size_t(node)]; }
    const Node& at(int node) const { return nodes[std::size_t(node)]; }
    const Holder& holder(int index) const { return holders[std::size_t(index)]; }
    Amount quota(int node, int pair) const { return at(node).subtree_quota[std::size_t(pair)]; }
    const engine::ResourceQuota& limits(int node, int pair) const {
        return at(node).quotas[std::size_t(pair)];
    }
    Amount used(int node, int pair) const { return usage[std::size_t(node)][std::size_t(pair)]; }

  private:
    void derive_below(int node);
};

}  // namespace sluice::reference
