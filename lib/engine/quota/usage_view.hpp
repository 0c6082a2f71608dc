// Usage of quota as it would be after changes that are assumed: for what-ifs and for cycles.
#pragma once

#include "base/small_vector.hpp"
#include "engine/quota/quota_tree.hpp"
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

/// Quota that a workload takes, or would take, in a ClusterQueue.
struct Demand {
    NodeIndex cluster_queue;
    const Usages& usages;
};

/// The usage of a tree's quota with changes that are assumed: a base, which it only reads, and an
/// overlay with the cells of those nodes that a change has reached. Copies are independent of each
/// other. *Cost*: a change O(depth), and for a node that it is the first to reach, a copy of the
/// node's cells; a copy of the view O(nodes of the tree + cells of the overlay).
///
/// *Lifetime*: of the tree, which may not change meanwhile.
class UsageView {
  public:
    /// Usage as the tree has it. Requires: the tree is not stale.
    explicit UsageView(const QuotaTree& tree) : tree_(&tree) {}

    const QuotaTree& tree() const { return *tree_; }
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

    /// What keeps a node from having more.
    struct Bottleneck {
        NodeIndex node;                   ///< itself or one above it
        bool is_borrowing_limit = false;  ///< of that node; else it has no more
    };
    struct Room {
        Amount available;  ///< what the node may still use, with borrowing; or negative
        Bottleneck bottleneck;
    };
    Room room(NodeIndex node, FlavorResourceIndex flavor_resource) const;
    Amount available(NodeIndex node, FlavorResourceIndex flavor_resource) const {
        return room(node, flavor_resource).available;
    }
    /// Returns what the node could use if everything were empty.
    Amount potential_available(NodeIndex node, FlavorResourceIndex flavor_resource) const;
    /// Returns true if every usage is available.
    bool fits(const Demand& demand) const;

    /// Returns true if `amount` more would be above the quota of the node's subtree.
    bool is_borrowing_with(NodeIndex node, FlavorResourceIndex flavor_resource, Amount amount)
        const;
    /// Returns true if usage is above the quota of the subtree on any flavor-resource that the
    /// subtree declares.
    bool is_borrowing(NodeIndex node) const;

    /// Returns the ClusterQueues of the tree whose usage of any of these flavor-resources is above
    /// their own quota, sorted. *Cost*: of those found, not of the tree.
    std::vector<NodeIndex> above_quota(NodeIndex root, const FlavorResources& flavor_resources)
        const;
    /// Returns true if there are any.
    bool has_above_quota(NodeIndex root, const FlavorResources& flavor_resources) const;
    /// Returns true if the node's usage of any of these is above the quota of its subtree.
    bool is_above_quota(NodeIndex node, const FlavorResources& flavor_resources) const;

    /// The lowest subtree whose own quota covers an amount more.
    struct Fit {
        std::int32_t height = 0;   ///< of that subtree; 0: the ClusterQueue itself
        bool may_reclaim = false;  ///< it is smaller than the tree: others may have to give back
    };
    Fit lowest_fit(NodeIndex cluster_queue, FlavorResourceIndex flavor_resource, Amount amount)
        const;
    /// Returns what `ancestor` would count of usage that is assumed in the node, which is below it
    /// or itself.
    Usages counted_above(NodeIndex node, Usages usages, NodeIndex ancestor) const;

    /// Assumes that the demand is taken.
    void add(const Demand& demand);
    /// Assumes that the demand is given back.
    void remove(const Demand& demand);

    /// A number that is the same only for the same usage: each change gives another one, and a
    /// change that is taken back the one before.
    std::uint64_t version() const { return version_; }
    /// Returns true if the order of changes counted: an amount has saturated or was negative.
    bool is_order_relevant() const { return is_order_relevant_; }

    /// Takes back at its end what changed since its beginning, unless keep() is called. Trials
    /// nest.
    class Trial {
      public:
        explicit Trial(UsageView& view)
            : view_(view), begin_(view.undo_.size()), version_(view.version_) {
            ++view.trials_;
        }
        Trial(const Trial&) = delete;
        Trial& operator=(const Trial&) = delete;
        ~Trial() {
            --view_.trials_;
            if (!is_kept_) {
                view_.take_back(begin_);
                view_.version_ = version_;
            } else if (view_.trials_ == 0) {
                view_.undo_.clear();
            }
        }
        /// Leaves the changes to the trial around this one, or for good.
        void keep() { is_kept_ = true; }

      private:
        UsageView& view_;
        std::size_t begin_;
        std::uint64_t version_;
        bool is_kept_ = false;
    };

  private:
    struct Saved {
        NodeIndex node;
        std::uint32_t cell = 0;  ///< in copies_
        Amount usage;
    };
    /// Of a root, see QuotaTree::Node::above_quota.
    using AboveQuota = std::map<FlavorResourceIndex, std::vector<NodeIndex>>;

    struct Step {
        NodeIndex node;
        const QuotaCell* cell = nullptr;
    };
    /// From the node itself to its root. No recursion: cohorts may be as deep as there is memory.
    using Path = SmallVector<Step, 8>;
    Path path_to_root(NodeIndex node, FlavorResourceIndex flavor_resource) const;

    std::span<const QuotaCell> cells(NodeIndex index, const QuotaTree::Node& node) const {
        const std::uint32_t copy = copy_of_.empty() ? 0 : copy_of_[index.at()];
        return copy == 0 ? std::span(node.cells) : std::span(&copies_[copy - 1], node.cells.size());
    }
    /// Returns the place in copies_ of the node's cell, which exists.
    std::uint32_t own_cell(NodeIndex node, FlavorResourceIndex flavor_resource);
    void set_usage(NodeIndex node, std::uint32_t cell, Amount usage);
    void change(NodeIndex node, std::uint32_t cell, Amount usage, Amount amount);
    void take_back(std::size_t until);
    const AboveQuota& above_quota_of(NodeIndex root) const;
    AboveQuota& own_above_quota_of(NodeIndex root);
    void update_above_quota(NodeIndex node, std::uint32_t cell);

    const QuotaTree* tree_;
    /// By node: 1 + the place of its cells in copies_, or 0: they are those of the tree. Empty
    /// until the first change.
    std::vector<std::uint32_t> copy_of_;
    std::vector<QuotaCell> copies_;
    std::map<NodeIndex, AboveQuota> above_quota_;  // of roots where it has changed
    std::vector<Saved> undo_;                      // of the trials
    std::uint32_t trials_ = 0;                     // how many have begun
    std::uint64_t changes_ = 0;
    std::uint64_t version_ = 0;
    bool is_order_relevant_ = false;
};

}  // namespace sluice::engine
