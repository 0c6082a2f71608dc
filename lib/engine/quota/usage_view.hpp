// Usage of quota with assumed changes, for cycles and what-ifs.
#pragma once

#include "base/small_vector.hpp"
#include "engine/quota/quota_tree.hpp"
#include "engine/topology/leaf_demand.hpp"
#include "engine/topology/leaf_view.hpp"
#include "engine/types/amount.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/usages.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace sluice::engine {

/// Quota that a workload uses, or would use, in a ClusterQueue, and what its pods use of nodes.
struct Demand {
    NodeIndex cluster_queue;
    const Usages& usages;
    LeafDemands leaves = {};
    bool starts = false;  ///< the pods may start there now; see NodeFitRule
};

/// The usage of a quota tree and of topologies with assumed changes. The view reads the tree, and
/// keeps the cells of changed nodes in an overlay. Copies of a view are independent of each other.
/// *Cost*: a change costs O(depth), and the first change of a node also a copy of the node's cells;
/// a copy of the view costs O(nodes of the tree + cells of the overlay).
///
/// *Lifetime*: tree and topologies outlive the view and do not change in that time.
class UsageView {
  public:
    /// Shows the present usage of the tree, without topologies. Requires: the tree is not stale.
    explicit UsageView(const QuotaTree& tree) : UsageView(tree, no_topologies()) {}
    /// Shows the present usage. Requires: neither is stale.
    UsageView(const QuotaTree& tree, const Topologies& topologies, const NodeFitRule& rule = {})
        : tree_(&tree), leaves_(topologies, rule) {}

    const QuotaTree::Node& node(NodeIndex index) const { return tree_->node(index); }

    /// Returns quota and usage of the node, sorted by flavor_resource. *Lifetime*: until a change.
    std::span<const QuotaCell> cells(NodeIndex index) const {
        return cells(index, tree_->node(index));
    }
    /// Returns the node's cell of that flavor-resource; nullptr if it has none. *Lifetime*: until a
    /// change.
    const QuotaCell* find_cell(NodeIndex index, FlavorResourceIndex flavor_resource) const {
        const auto here = cells(index);
        const std::size_t position = QuotaTree::position_in(here, flavor_resource);
        return position < here.size() ? &here[position] : nullptr;
    }
    /// Returns the node's cell of that flavor-resource, or one with zeros. *Lifetime*: until a
    /// change.
    const QuotaCell& cell(NodeIndex index, FlavorResourceIndex flavor_resource) const {
        static const QuotaCell kNone;
        const QuotaCell* found = find_cell(index, flavor_resource);
        return found != nullptr ? *found : kNone;
    }

    /// The limit that keeps a node from using more.
    struct Bottleneck {
        NodeIndex node;                   ///< the node itself or a node above it
        bool is_borrowing_limit = false;  ///< false: the quota of `node` is used up
    };
    struct Room {
        Amount available;  ///< what the node may still use, with borrowing; may be negative
        Bottleneck bottleneck;
    };
    /// Returns how much the node may still use, and what limits it.
    Room room(NodeIndex node, FlavorResourceIndex flavor_resource) const;
    Amount available(NodeIndex node, FlavorResourceIndex flavor_resource) const {
        return room(node, flavor_resource).available;
    }
    /// Returns how much the node could use if no quota were in use.
    Amount potential_available(NodeIndex node, FlavorResourceIndex flavor_resource) const;
    /// Returns true if all usages of the demand are available, and the nodes have room for it.
    bool fits(const Demand& demand) const {
        return fits_quota(demand) && leaves_.fits(demand.leaves);
    }
    /// Returns true if all usages of the demand are available.
    bool fits_quota(const Demand& demand) const;
    /// Returns what is free on nodes.
    const LeafView& leaves() const { return leaves_; }

    /// Returns true if `amount` more usage would exceed the quota of the node's subtree.
    bool is_borrowing_with(NodeIndex node, FlavorResourceIndex flavor_resource, Amount amount)
        const;

    /// Returns the ClusterQueues of the tree whose usage of any of these flavor-resources exceeds
    /// their own quota, sorted. *Cost*: proportional to the result, not to the tree.
    std::vector<NodeIndex> above_quota(NodeIndex root, const FlavorResources& flavor_resources)
        const;
    /// Returns true if above_quota() is not empty.
    bool has_above_quota(NodeIndex root, const FlavorResources& flavor_resources) const;
    /// Returns true if the node's usage of any of these flavor-resources exceeds the quota of its
    /// subtree.
    bool is_above_quota(NodeIndex node, const FlavorResources& flavor_resources) const;

    /// The lowest subtree whose own quota suffices for an additional amount.
    struct Fit {
        std::int32_t height = 0;  ///< of that subtree; 0 for the ClusterQueue itself
        /// The subtree is not the whole tree: other queues may have to give quota back.
        bool may_reclaim = false;
    };
    Fit lowest_fit(NodeIndex cluster_queue, FlavorResourceIndex flavor_resource, Amount amount)
        const;
    /// Returns how much of the usage that is assumed in the node counts in `ancestor`, which is the
    /// node itself or above it.
    Usages counted_above(NodeIndex node, Usages usages, NodeIndex ancestor) const;

    /// Assumes that the demand is added.
    void add(const Demand& demand);
    /// Assumes that the demand is removed.
    void remove(const Demand& demand);

    /// Returns a number that identifies the usage: each change gives a new number, and a change
    /// that is taken back restores the former number.
    std::uint64_t version() const { return version_; }
    /// Returns true if the order of changes mattered, because an amount saturated or was negative.
    bool is_order_relevant() const { return is_order_relevant_; }

    /// Takes back the changes made during its life, unless keep() is called. Trials nest.
    class Trial {
      public:
        explicit Trial(UsageView& view)
            : view_(view),
              begin_(view.undo_.size()),
              leaves_(view.leaves_.begin_trial()),
              version_(view.version_) {
            ++view.trials_;
        }
        Trial(const Trial&) = delete;
        Trial& operator=(const Trial&) = delete;
        ~Trial() {
            --view_.trials_;
            if (!is_kept_) {
                view_.take_back(begin_);
                view_.leaves_.take_back(leaves_);
                view_.version_ = version_;
                return;
            }
            view_.leaves_.keep(leaves_);
            if (view_.trials_ == 0) {
                view_.undo_.clear();
            }
        }
        /// Keeps the changes: the enclosing trial decides about them, or they stay.
        void keep() { is_kept_ = true; }

      private:
        UsageView& view_;
        std::size_t begin_;
        std::size_t leaves_;  // see LeafView::begin_trial()
        std::uint64_t version_;
        bool is_kept_ = false;
    };

  private:
    static const Topologies& no_topologies() {
        static const Topologies kNone;
        return kNone;
    }
    struct Saved {
        NodeIndex node;
        std::uint32_t cell = 0;  ///< index in copies_
        Amount usage;
    };
    /// See QuotaTree::Node::above_quota.
    using AboveQuota = std::map<FlavorResourceIndex, std::vector<NodeIndex>>;

    struct Step {
        NodeIndex node;
        const QuotaCell* cell = nullptr;
    };
    /// The steps from a node to its root, for loops in place of recursion: cohorts may be nested
    /// without limit.
    using Path = SmallVector<Step, 8>;
    Path path_to_root(NodeIndex node, FlavorResourceIndex flavor_resource) const;

    std::span<const QuotaCell> cells(NodeIndex index, const QuotaTree::Node& node) const {
        const std::uint32_t copy = copy_of_.empty() ? 0 : copy_of_[index.at()];
        return copy == 0 ? std::span(node.cells) : std::span(&copies_[copy - 1], node.cells.size());
    }
    /// Returns the index in copies_ of the node's cell, after copying the cells if necessary.
    /// Requires: the node has that cell.
    std::uint32_t own_cell(NodeIndex node, FlavorResourceIndex flavor_resource);
    void set_usage(NodeIndex node, std::uint32_t cell, Amount usage);
    void change(NodeIndex node, std::uint32_t cell, Amount usage, Amount amount);
    void take_back(std::size_t until);
    const AboveQuota& above_quota_of(NodeIndex root) const;
    AboveQuota& own_above_quota_of(NodeIndex root);
    void update_above_quota(NodeIndex node, std::uint32_t cell);

    const QuotaTree* tree_;
    LeafView leaves_;
    /// By node, 1 + the index of its cells in copies_; 0 if the tree's cells apply. Empty until the
    /// first change.
    std::vector<std::uint32_t> copy_of_;
    std::vector<QuotaCell> copies_;
    std::map<NodeIndex, AboveQuota> above_quota_;  // of roots where it differs
    std::vector<Saved> undo_;                      // for the trials
    std::uint32_t trials_ = 0;                     // number of trials that have not ended
    std::uint64_t changes_ = 0;
    std::uint64_t version_ = 0;
    bool is_order_relevant_ = false;
};

}  // namespace sluice::engine
