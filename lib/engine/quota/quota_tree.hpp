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
    Amount subtree;  ///< S: quota of the node with what its children lend
    Amount usage;    ///< U
    /// How many declare it: the node itself and each child with a declaration at or below it. 0:
    /// only usage brought it here.
    std::int32_t declarations = 0;
    /// ClusterQueues: 1 + the place in the root's list of those above their quota; 0: not in it.
    std::uint32_t above_quota = 0;

    bool declared() const { return declarations > 0; }
    /// Quota that the parent never sees.
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

/// What an object says about one flavor-resource of its node.
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

/// The trees of cohorts with ClusterQueues as leaves: quota, limits and usage at every node.
///
/// A change of usage or quota costs O(depth), a node that comes or moves O(its subtree and its
/// siblings). Only where parents form a cycle, or would, is everything worked out anew, and, once a
/// sum has saturated, so that differences are wrong, the sums of its tree and of those that change
/// until then: both when refresh() is next called.
///
/// UsageView reads from it what a node may use, and says what it would be after changes.
class QuotaTree {
  public:
    struct Node {
        std::string name;
        bool is_cluster_queue = false;
        bool has_object = false;  ///< false: only named by others
        bool active = false;      ///< ClusterQueues: counts for heights
        std::string parent_name;
        double weight = 1.0;
        std::vector<DeclaredQuota> declared;
        Usages own_usage;  ///< ClusterQueues: of the workloads that hold quota
        // Derived:
        NodeIndex parent;
        NodeIndex root;
        std::vector<NodeIndex> children;  ///< by name, cohorts and ClusterQueues together
        std::vector<QuotaCell> cells;     ///< sorted by flavor_resource; see cells()
        std::int32_t height = 0;          ///< cohorts: distance to the farthest leaf that counts
        std::map<std::int32_t, std::uint32_t> child_heights;  ///< how many children have which
        std::int32_t depth = 0;
        bool in_cycle = false;        ///< its tree holds a cycle of parents: no admission
        bool is_waiting = false;      ///< ClusterQueues: see set_waiting
        std::set<NodeIndex> waiting;  ///< roots: the waiting ClusterQueues of the tree
        /// Roots: see above_quota().
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

    /// The node of that name, or none.
    NodeIndex find_cluster_queue(std::string_view name) const;
    NodeIndex find_cohort(std::string_view name) const;
    /// The node of that name, made without object if it is new.
    NodeIndex intern_cluster_queue(std::string_view name);
    NodeIndex intern_cohort(std::string_view name);

    /// Sets what the node's object says; `parent` "" makes it a root. A weight alone
    /// leaves generations as they are. False: it said so already.
    bool set_object(
        NodeIndex node, std::string_view parent, double weight, std::vector<DeclaredQuota> quotas
    );
    /// The object is gone: the node keeps its children and usage, without parent and quota.
    void remove_object(NodeIndex node);
    void set_active(NodeIndex node, bool active);

    const Node& node(NodeIndex index) const { return nodes_[index.at()]; }
    std::size_t size() const { return nodes_.size(); }
    /// All nodes of the tree of `root`, ClusterQueues by name.
    std::vector<NodeIndex> cluster_queues_of(NodeIndex root) const;
    using NodesByName = std::map<std::string, NodeIndex, std::less<>>;
    const NodesByName& cluster_queues_by_name() const { return *cluster_queues_; }

    /// Works out what could not be kept up to date change by change; the ClusterQueues that may
    /// have got into a cycle or out of one are appended to `touched`. Everything below requires
    /// that the tree is not stale.
    void refresh(std::vector<NodeIndex>& touched);
    bool is_stale() const { return needs_rebuild_ || !wrong_sums_.empty(); }

    /// Grows when quota may have become free for the ClusterQueue: with each change of shape or
    /// quota in its tree and each touch() (upstream's AllocatableResourceGeneration).
    std::uint64_t generation(NodeIndex cluster_queue) const;
    void touch(NodeIndex node) { nodes_.write(node.at()).changed_at = ++changes_; }

    /// Marks a ClusterQueue as one that waits for changes in its tree.
    void set_waiting(NodeIndex cluster_queue, bool waiting);
    /// The ClusterQueues of the tree that are so marked.
    const std::set<NodeIndex>& waiting_in(NodeIndex root) const {
        return nodes_[root.at()].waiting;
    }

    /// Returns the node's cell of that flavor-resource; nullptr if it has none.
    const QuotaCell* find_cell(NodeIndex node, FlavorResourceIndex flavor_resource) const {
        const std::span<const QuotaCell> here = nodes_[node.at()].cells;
        const std::size_t position = position_in(here, flavor_resource);
        return position < here.size() ? &here[position] : nullptr;
    }
    /// Zeros when there is none. *Lifetime*: until cells or nodes are added.
    const QuotaCell& cell(NodeIndex node, FlavorResourceIndex flavor_resource) const {
        static const QuotaCell kNone;
        const QuotaCell* found = find_cell(node, flavor_resource);
        return found != nullptr ? *found : kNone;
    }
    /// Adds or removes usage of a ClusterQueue for good.
    void add_usage(NodeIndex cluster_queue, const Usages& usages);
    void remove_usage(NodeIndex cluster_queue, const Usages& usages);
    /// Whether a sum of the ClusterQueue hit the largest amount, so that removing must count anew.
    bool has_saturated(NodeIndex cluster_queue) const;
    void reset_usage(NodeIndex cluster_queue, Usages usages);

    /// Lists the members for save() and load().
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        archive(
            self.cluster_queues_,
            self.cohorts_,
            self.nodes_,
            self.changed_,
            self.wrong_sums_,
            self.changes_,
            self.needs_rebuild_
        );
    }

    /// Returns the position of the flavor-resource in cells that are sorted by it, or their number
    /// if it has none.
    static std::size_t position_in(
        std::span<const QuotaCell> cells, FlavorResourceIndex flavor_resource
    ) {
        // Those of an object were mostly named one after the other.
        const std::size_t guess =
            cells.empty() ? 0 : flavor_resource.at() - cells.front().flavor_resource.at();
        return guess < cells.size() && cells[guess].flavor_resource == flavor_resource
                   ? guess
                   : search(cells, flavor_resource);
    }

  private:
    /// What a node brings into its parent's cell.
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
    /// Lists the cell under its root, or takes it off the list, as its amounts now say.
    void update_above_quota(NodeIndex node, QuotaCell& cell);
    void remove_from_above_quota(NodeIndex root, QuotaCell& cell);
    /// The sums of its tree are to be made anew.
    void mark_wrong_sums(NodeIndex node) { wrong_sums_.push_back(node); }

    /// The node gets this parent ("": none) and these quotas; at once, unless a cycle of parents is
    /// about: then a rebuild is due.
    void change_node(NodeIndex node, std::string parent, std::vector<DeclaredQuota> quotas);
    bool is_at_or_below(NodeIndex node, NodeIndex ancestor) const;
    void detach(NodeIndex node);
    void attach(NodeIndex node, NodeIndex parent);
    void set_root_below(NodeIndex node);
    /// The node gets these quotas, and the sums above it follow.
    void change_quotas(NodeIndex node, std::vector<DeclaredQuota> quotas);
    /// The same of one flavor-resource; nullptr: it had or gets no quota of it.
    void change_quota(NodeIndex node, const DeclaredQuota* before, const DeclaredQuota* after);
    void shift(
        NodeIndex node, FlavorResourceIndex flavor_resource, Contribution before, Contribution after
    );
    void child_height_changed(
        NodeIndex node, std::optional<std::int32_t> before, std::optional<std::int32_t> after
    );
    std::optional<std::int32_t> counted_height(const Node& node) const;

    /// Works out parents, roots, cycles and all sums.
    void rebuild(std::vector<NodeIndex>& touched);
    void link();
    void find_cycles();
    std::vector<NodeIndex> parents_first(const std::vector<NodeIndex>& roots) const;
    void accumulate(NodeIndex node);
    /// Works out the sums of the trees in which they are wrong.
    void sum_again();

    Cow<NodesByName> cluster_queues_;
    Cow<NodesByName> cohorts_;
    CowVector<Node, 4> nodes_;
    std::vector<NodeIndex> changed_;     // since the last rebuild, while one is due
    std::vector<NodeIndex> wrong_sums_;  // nodes of trees whose sums are wrong
    std::uint64_t changes_ = 0;
    bool needs_rebuild_ = false;  // parents, roots and cycles are to be worked out anew
};

}  // namespace sluice::engine
