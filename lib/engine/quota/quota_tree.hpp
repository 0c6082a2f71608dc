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
/// until then: both when refresh() is next called. Inside a what-if (mark, change, rollback) saved
/// values are put back for the same reason.
///
/// A cycle reads usage in two ways: as it is, and as it will be once the workloads that it evicts
/// are gone. See evict().
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
        std::uint32_t fork = 0;        ///< 1 + the place of its cells after evictions; 0: the same

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
                &Node::changed_at,
                &Node::fork
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

    /// Quota and usage of the node in the tree's present view, sorted by flavor_resource.
    const std::vector<QuotaCell>& cells(NodeIndex index) const {
        const Node& node = nodes_[index.at()];
        return shows_evictions_ && node.fork != 0 ? forks_[node.fork - 1].cells : node.cells;
    }
    const QuotaCell* find_cell(NodeIndex node, FlavorResourceIndex flavor_resource) const {
        const auto& here = cells(node);
        const std::size_t position = position_in(here, flavor_resource);
        return position < here.size() ? &here[position] : nullptr;
    }
    /// Zeros when there is none. *Lifetime*: until cells or nodes are added.
    const QuotaCell& cell(NodeIndex node, FlavorResourceIndex flavor_resource) const {
        static const QuotaCell kNone;
        const QuotaCell* found = find_cell(node, flavor_resource);
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
    /// What it could use if everything were empty.
    Amount potential_available(NodeIndex node, FlavorResourceIndex flavor_resource) const;
    bool is_borrowing_with(NodeIndex node, FlavorResourceIndex flavor_resource, Amount amount)
        const;
    /// Usage above the quota of the subtree on any flavor-resource that the subtree declares.
    bool is_borrowing(NodeIndex node) const;

    /// The ClusterQueues of the tree whose usage of any of these flavor-resources is above their
    /// own quota. Cost: of those found, not of the tree.
    std::vector<NodeIndex> above_quota(NodeIndex root, const FlavorResources& flavor_resources)
        const;

    /// Whether there may be any; false is sure.
    bool has_above_quota(NodeIndex root, const FlavorResources& flavor_resources) const;
    /// Whether the node's usage of any of these is above the quota of its subtree.
    bool is_above_quota(NodeIndex node, const FlavorResources& flavor_resources) const;

    /// Height of the lowest subtree whose own quota covers `amount` more (0: the ClusterQueue
    /// itself), and whether that subtree is smaller than the tree: then others may have
    /// to give the quota back.
    struct Fit {
        std::int32_t height = 0;
        bool may_reclaim = false;
    };
    Fit lowest_fit(NodeIndex cluster_queue, FlavorResourceIndex flavor_resource, Amount amount)
        const;

    /// Adds or removes usage of a ClusterQueue for good.
    void add_usage(NodeIndex cluster_queue, const Usages& usages);
    void remove_usage(NodeIndex cluster_queue, const Usages& usages);
    /// Whether a sum of the ClusterQueue hit the largest amount, so that removing must count anew.
    bool has_saturated(NodeIndex cluster_queue) const;
    void reset_usage(NodeIndex cluster_queue, Usages usages);

    /// What-if: changes after mark() are undone by rollback(). Marks nest.
    using Mark = std::size_t;
    Mark mark() const { return undo_.size(); }
    void assume_usage(NodeIndex cluster_queue, const Usages& usages);
    void assume_no_usage(NodeIndex cluster_queue, const Usages& usages);
    void rollback(Mark mark);
    /// What `ancestor` would count of usage that is assumed in the node, which is below it or
    /// itself.
    Usages counted_above(NodeIndex node, Usages usages, NodeIndex ancestor) const;

    /// From now on until forget_evictions() that usage is gone after evictions, and what is assumed
    /// meanwhile is added there too; rollback() takes neither back. Requires: the tree shows usage
    /// as it is.
    void evict(NodeIndex cluster_queue, const Usages& usages);
    /// Whether the tree shows usage as after the evictions, also to what-ifs, or as it is. A
    /// what-if ends as it was begun.
    void show_evictions(bool shown) { shows_evictions_ = shown; }
    /// Whether usage after evictions depends on their place among what was assumed: amounts have
    /// saturated or were negative.
    bool is_order_of_evictions_relevant() const { return is_order_relevant_; }
    void forget_evictions();

    /// Lists the members for save() and load().
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        archive(
            self.cluster_queues_,
            self.cohorts_,
            self.nodes_,
            self.is_order_relevant_,
            self.changed_,
            self.wrong_sums_,
            self.changes_,
            self.needs_rebuild_
        );
    }

  private:
    struct Saved {
        NodeIndex node;
        std::uint32_t cell = 0;
        bool is_fork = false;
        Amount usage;
    };
    /// The cells of a node on the path of an eviction, as they are after it.
    struct Fork {
        NodeIndex node;
        std::vector<QuotaCell> cells;
    };
    enum class Lasting : std::uint8_t { WhatIf, UntilForgotten, ForGood };
    /// What a node brings into its parent's cell.
    struct Contribution {
        Amount lent;
        Amount over;
        bool declared = false;
        friend bool operator==(const Contribution&, const Contribution&) = default;
    };
    static Contribution contribution_of(const QuotaCell& cell);

    struct Step {
        NodeIndex node;
        const QuotaCell* cell = nullptr;
    };
    /// From the node itself to its root. No recursion: cohorts may be as deep as there is memory.
    using Path = SmallVector<Step, 8>;
    Path path_to_root(NodeIndex node, FlavorResourceIndex flavor_resource) const;

    NodeIndex add_node(std::string_view name, bool is_cluster_queue);
    QuotaCell& ensure_cell(NodeIndex node, FlavorResourceIndex flavor_resource);
    /// Behind the last: there is none.
    static std::size_t position_in(
        const std::vector<QuotaCell>& cells, FlavorResourceIndex flavor_resource
    ) {
        // Those of an object were mostly named one after the other.
        const std::size_t guess =
            cells.empty() ? 0 : flavor_resource.at() - cells.front().flavor_resource.at();
        return guess < cells.size() && cells[guess].flavor_resource == flavor_resource
                   ? guess
                   : search(cells, flavor_resource);
    }
    static std::size_t search(
        const std::vector<QuotaCell>& cells, FlavorResourceIndex flavor_resource
    );
    void add(NodeIndex node, FlavorResourceIndex flavor_resource, Amount amount, Lasting lasting);
    void remove(
        NodeIndex node, FlavorResourceIndex flavor_resource, Amount amount, Lasting lasting
    );
    /// A cell in the tree's present view.
    struct Place {
        NodeIndex node;
        std::uint32_t position = 0;
        bool is_fork = false;
        QuotaCell* cell = nullptr;
    };
    Place place_of(NodeIndex node, FlavorResourceIndex flavor_resource);
    void change(const Place& place, Amount usage, Lasting lasting, bool is_exact);
    void assume_after_evictions(NodeIndex cluster_queue, const Usage& usage);
    void fork_path(NodeIndex cluster_queue);
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
    std::vector<Saved> undo_;
    std::vector<Fork> forks_;  // with a node its parents have one too
    bool shows_evictions_ = false;
    bool is_order_relevant_ = false;
    std::vector<NodeIndex> changed_;     // since the last rebuild, while one is due
    std::vector<NodeIndex> wrong_sums_;  // nodes of trees whose sums are wrong
    std::uint64_t changes_ = 0;
    bool needs_rebuild_ = false;  // parents, roots and cycles are to be worked out anew
};

}  // namespace sluice::engine
