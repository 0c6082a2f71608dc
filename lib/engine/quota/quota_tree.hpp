// The tree of cohorts and ClusterQueues, with quota and usage in each node (KEP-79).
#pragma once

#include "base/cow.hpp"
#include "base/small_vector.hpp"
#include "engine/types/amount.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/usages.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::engine {

/// Quota and usage of one flavor-resource in one node (KEP-79).
struct QuotaCell {
    FlavorResourceIndex flavor_resource;
    Amount nominal;
    std::optional<Amount> borrowing_limit;
    std::optional<Amount> lending_limit;
    Amount subtree;  ///< quota of the node, with what its children lend
    Amount usage;    ///< in a cohort, the sum of what its children use beyond their local()
    /// Number of declarations: the node's own, and one for each child that has a declaration at or
    /// below it. 0 if only usage created the cell.
    std::int32_t declarations = 0;
    /// ClusterQueues: 1 + the position in the root's list of ClusterQueues above their quota; 0 if
    /// the ClusterQueue is not in the list.
    std::uint32_t above_quota = 0;

    bool declared() const { return declarations > 0; }
    /// Returns the quota that the lending limit keeps from the parent.
    Amount local() const {
        return lending_limit ? max(Amount(), subtree - *lending_limit) : Amount();
    }
    Amount local_available() const { return max(Amount(), local() - usage); }

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &QuotaCell::flavor_resource,
            &QuotaCell::nominal,
            &QuotaCell::borrowing_limit,
            &QuotaCell::lending_limit,
            &QuotaCell::subtree,
            &QuotaCell::usage,
            &QuotaCell::declarations,
            &QuotaCell::above_quota
        );
    }
};

/// The quota that an object declares for one flavor-resource of its node.
struct DeclaredQuota {
    FlavorResourceIndex flavor_resource;
    Amount nominal;
    std::optional<Amount> borrowing_limit;
    std::optional<Amount> lending_limit;
    friend bool operator==(const DeclaredQuota&, const DeclaredQuota&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &DeclaredQuota::flavor_resource,
            &DeclaredQuota::nominal,
            &DeclaredQuota::borrowing_limit,
            &DeclaredQuota::lending_limit
        );
    }
};

/// The trees of cohorts with ClusterQueues as leaves: quota, limits and usage in every node.
///
/// A change of usage or quota costs O(depth). A node that is added or moved costs O(its subtree and
/// its siblings). Two cases wait for refresh(): if parents form a cycle, or would form one,
/// everything is recomputed; after a sum has saturated, differences are wrong, and the sums of its
/// tree and of all trees that change until then are recomputed.
///
/// UsageView reads from the tree what a node may use, now and after assumed changes.
class QuotaTree {
  public:
    struct Node {
        std::string name;
        bool is_cluster_queue = false;
        bool has_object = false;  ///< false: only other objects name it
        bool active = false;      ///< ClusterQueues: counts for the heights of cohorts
        std::string parent_name;
        double weight = 1.0;
        std::vector<DeclaredQuota> declared;
        Usages own_usage;  ///< ClusterQueues: usage of the workloads that hold quota
        // Derived:
        NodeIndex parent;
        NodeIndex root;
        std::vector<NodeIndex> children;  ///< cohorts, then ClusterQueues, each by name
        std::vector<QuotaCell> cells;     ///< sorted by flavor_resource
        /// Cohorts: distance to the farthest leaf, not counting inactive ClusterQueues.
        std::int32_t height = 0;
        std::map<std::int32_t, std::uint32_t> child_heights;  ///< number of children by height
        std::int32_t depth = 0;
        bool in_cycle = false;        ///< its parents lead into a cycle: nothing is admitted
        bool is_waiting = false;      ///< ClusterQueues: see set_waiting()
        std::set<NodeIndex> waiting;  ///< roots: see waiting_in()
        /// Roots: the ClusterQueues of the tree whose usage is above their own quota, in any order.
        std::map<FlavorResourceIndex, std::vector<NodeIndex>> above_quota;
        std::uint64_t changed_at = 0;  ///< see generation()

        /// All members, for save() and load().
        static constexpr auto members() {
            return std::tuple(
                &Node::name,
                &Node::is_cluster_queue,
                &Node::has_object,
                &Node::active,
                &Node::parent_name,
                &Node::weight,
                &Node::declared,
                &Node::own_usage,
                &Node::parent,
                &Node::root,
                &Node::children,
                &Node::cells,
                &Node::height,
                &Node::child_heights,
                &Node::depth,
                &Node::in_cycle,
                &Node::is_waiting,
                &Node::waiting,
                &Node::above_quota,
                &Node::changed_at
            );
        }
    };

    /// Returns the node of that name; an invalid index if the name is unknown.
    NodeIndex find_cluster_queue(std::string_view name) const;
    NodeIndex find_cohort(std::string_view name) const;
    /// Returns the node of that name; a new name gets a node without an object.
    NodeIndex intern_cluster_queue(std::string_view name);
    NodeIndex intern_cohort(std::string_view name);

    /// Sets what the node's object declares. An empty `parent` makes the node a root. A change of
    /// the weight alone does not change generations. Returns false if nothing changed.
    bool set_object(
        NodeIndex node, std::string_view parent, double weight, std::vector<DeclaredQuota> quotas
    );
    /// Removes the node's object: the node keeps its children and usage, and loses parent and
    /// quota.
    void remove_object(NodeIndex node);
    /// Removes a node that neither an object nor a child names. Another name may get its index.
    /// Requires: the tree is not stale, and the node has no usage.
    void erase(NodeIndex node);
    /// Sets `active`: an active ClusterQueue counts for the heights of cohorts.
    void set_active(NodeIndex node, bool active);

    const Node& node(NodeIndex index) const { return nodes_[index.at()]; }
    /// Returns one more than the largest index that was ever in use. An index that is not in use
    /// has a node without a name, which is its own root.
    std::size_t size() const { return nodes_.size(); }
    /// Returns the ClusterQueues of the tree, ordered by name.
    std::vector<NodeIndex> cluster_queues_of(NodeIndex root) const;
    using NodesByName = std::map<std::string, NodeIndex, std::less<>>;
    const NodesByName& cluster_queues_by_name() const { return *cluster_queues_; }

    /// Recomputes what single changes could not keep up to date. Appends the ClusterQueues that may
    /// have entered or left a cycle of parents to `touched`. A stale tree must be refreshed before
    /// it is read.
    void refresh(std::vector<NodeIndex>& touched);
    bool is_stale() const { return needs_rebuild_ || !wrong_sums_.empty(); }

    /// Returns a number that grows when quota may have become free for the ClusterQueue: with each
    /// change of shape or quota in its tree and with each touch() (Kueue's
    /// AllocatableResourceGeneration).
    std::uint64_t generation(NodeIndex cluster_queue) const;
    /// Increases the generation of a ClusterQueue, or of all ClusterQueues below a root.
    void touch(NodeIndex node) { nodes_.write(node.at()).changed_at = ++changes_; }

    /// Marks a ClusterQueue as waiting for changes in its tree, or unmarks it.
    void set_waiting(NodeIndex cluster_queue, bool waiting);
    /// Returns the marked ClusterQueues of the tree.
    const std::set<NodeIndex>& waiting_in(NodeIndex root) const {
        return nodes_[root.at()].waiting;
    }

    /// Returns the node's cell of that flavor-resource; nullptr if it has none.
    const QuotaCell* find_cell(NodeIndex node, FlavorResourceIndex flavor_resource) const {
        const std::span<const QuotaCell> here = nodes_[node.at()].cells;
        const std::size_t position = position_in(here, flavor_resource);
        return position < here.size() ? &here[position] : nullptr;
    }
    /// Returns the node's cell of that flavor-resource; a cell of zeros if it has none. *Lifetime*:
    /// until the tree changes.
    const QuotaCell& cell(NodeIndex node, FlavorResourceIndex flavor_resource) const {
        static const QuotaCell kNone;
        const QuotaCell* found = find_cell(node, flavor_resource);
        return found != nullptr ? *found : kNone;
    }
    /// Adds usage to a ClusterQueue, or removes it.
    void add_usage(NodeIndex cluster_queue, const Usages& usages);
    void remove_usage(NodeIndex cluster_queue, const Usages& usages);
    /// Returns true if the ClusterQueue's own usage has reached the largest amount. Then usage
    /// cannot be removed, and reset_usage() has to set the sum of the remaining workloads.
    bool has_saturated(NodeIndex cluster_queue) const;
    void reset_usage(NodeIndex cluster_queue, Usages usages);

    /// Lists the members for save() and load().
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        archive(
            self.cluster_queues_,
            self.cohorts_,
            self.nodes_,
            self.erased_,
            self.changed_,
            self.wrong_sums_,
            self.changes_,
            self.needs_rebuild_
        );
    }

    /// Returns the position of the flavor-resource in cells that are sorted by it; the number of
    /// cells if it has no cell.
    static std::size_t position_in(
        std::span<const QuotaCell> cells, FlavorResourceIndex flavor_resource
    ) {
        // The flavor-resources of an object mostly have consecutive indices.
        const std::size_t guess =
            cells.empty() ? 0 : flavor_resource.at() - cells.front().flavor_resource.at();
        return guess < cells.size() && cells[guess].flavor_resource == flavor_resource
                   ? guess
                   : search(cells, flavor_resource);
    }

  private:
    /// The amounts that a node adds to its parent's cell.
    struct Contribution {
        Amount lent;
        Amount over;
        bool declared = false;
        friend bool operator==(const Contribution&, const Contribution&) = default;
    };
    static Contribution contribution_of(const QuotaCell& cell);

    NodeIndex add_node(std::string_view name, bool is_cluster_queue);
    QuotaCell& ensure_cell(NodeIndex node, FlavorResourceIndex flavor_resource);
    /// Requires: the node has a cell of that flavor-resource.
    QuotaCell& cell_to_change(NodeIndex node, FlavorResourceIndex flavor_resource) {
        auto& cells = nodes_.write(node.at()).cells;
        return cells[position_in(cells, flavor_resource)];
    }
    static std::size_t search(
        std::span<const QuotaCell> cells, FlavorResourceIndex flavor_resource
    );
    void add(NodeIndex node, FlavorResourceIndex flavor_resource, Amount amount);
    void remove(NodeIndex node, FlavorResourceIndex flavor_resource, Amount amount);
    void change(NodeIndex node, QuotaCell& cell, Amount usage, bool is_exact);
    void sum_later_if_stale(NodeIndex cluster_queue);
    /// Adds the cell to its root's list of those above quota, or removes it, as its amounts
    /// require.
    void update_above_quota(NodeIndex node, QuotaCell& cell);
    void remove_from_above_quota(NodeIndex root, QuotaCell& cell);
    /// Marks the sums of the node's tree for recomputation.
    void mark_wrong_sums(NodeIndex node) { wrong_sums_.push_back(node); }

    /// Sets the parent (empty: no parent) and the quotas of a node: at once, or in the next
    /// refresh() if a cycle of parents is involved.
    void change_node(NodeIndex node, std::string parent, std::vector<DeclaredQuota> quotas);
    bool is_at_or_below(NodeIndex node, NodeIndex ancestor) const;
    void detach(NodeIndex node);
    void attach(NodeIndex node, NodeIndex parent);
    void set_root_below(NodeIndex node);
    /// Sets the node's quotas and updates the sums above it.
    void change_quotas(NodeIndex node, std::vector<DeclaredQuota> quotas);
    /// Sets the quota of one flavor-resource. `before` or `after` is nullptr if the node had or
    /// gets no quota of it.
    void change_quota(NodeIndex node, const DeclaredQuota* before, const DeclaredQuota* after);
    /// Replaces a child's contribution to the node's cell, and updates the sums above it.
    void shift(
        NodeIndex node, FlavorResourceIndex flavor_resource, Contribution before, Contribution after
    );
    void child_height_changed(
        NodeIndex node, std::optional<std::int32_t> before, std::optional<std::int32_t> after
    );
    std::optional<std::int32_t> counted_height(const Node& node) const;

    /// Recomputes parents, roots, cycles and all sums.
    void rebuild(std::vector<NodeIndex>& touched);
    void link();
    void find_cycles();
    std::vector<NodeIndex> parents_first(const std::vector<NodeIndex>& roots) const;
    void accumulate(NodeIndex node);
    /// Recomputes the sums of the trees in which they are wrong.
    void sum_again();

    Cow<NodesByName> cluster_queues_;
    Cow<NodesByName> cohorts_;
    CowVector<Node, 4> nodes_;
    std::vector<NodeIndex> erased_;      // indices that are not in use
    std::vector<NodeIndex> changed_;     // nodes changed since the last rebuild, while one is due
    std::vector<NodeIndex> wrong_sums_;  // nodes of trees whose sums are wrong
    std::uint64_t changes_ = 0;
    bool needs_rebuild_ = false;  // parents, roots and cycles have to be recomputed
};

}  // namespace sluice::engine
