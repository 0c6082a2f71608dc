// The order in which fair sharing takes victims from ClusterQueues (KEP-1714).
#pragma once

#include "engine/preemption/candidate_lists.hpp"
#include "engine/preemption/preemption_context.hpp"
#include "engine/preemption/share_comparisons.hpp"
#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::engine {

/// Finds the ClusterQueues to take victims from: descends from the root, always into the child with
/// the highest share, while evictions change the usage (KEP-1714). If several children have the
/// highest share, it chooses the one with the best victim.
///
/// *Cost* of a step: the depth times the logarithm of the number of children, and the children
/// passed over that have no workload that the preemptor may evict; if cohorts have equal shares,
/// the cost for all of them.
class TargetQueues {
  public:
    /// Covers the preemptor's own ClusterQueue with the candidates of `own`, and the ClusterQueues
    /// of `others` with the candidates that `right` allows. `others` shows the usage without the
    /// preemptor. *Lifetime*: all arguments outlive this object.
    TargetQueues(
        const PreemptionContext& context,
        NodeIndex preemptor_queue,
        const std::optional<CandidateWalk>& own,
        const ShareComparisons* others,
        const FlavorResources& needed,
        const EvictionRight& right
    );
    /// Covers only these candidates, which are grouped by ClusterQueue with the best victim first.
    TargetQueues(
        const PreemptionContext& context,
        NodeIndex preemptor_queue,
        std::vector<const Candidate*> candidates
    );
    TargetQueues(const TargetQueues&) = delete;
    TargetQueues& operator=(const TargetQueues&) = delete;

    /// Returns the next ClusterQueue; an invalid index if all are exhausted.
    NodeIndex next();
    /// Takes the next candidate from a ClusterQueue that next() returned; nullptr at the end.
    const Candidate* pop(NodeIndex queue);
    /// Excludes the node from further steps.
    void drop(NodeIndex queue);
    /// Reports that the usage of a ClusterQueue has changed; required after each change.
    void usage_changed(NodeIndex queue);

    /// Returns the children of the lowest common cohort that contain the preemptor's ClusterQueue
    /// (first) and the target (second).
    std::pair<NodeIndex, NodeIndex> below_common_cohort(NodeIndex target) const;

  private:
    /// A contestant with the values that it had when it was added.
    struct Entry {
        Contestant contestant;
        std::uint32_t changes = 0;
    };
    using Heap = std::pmr::vector<Entry>;
    /// The children of a cohort: those that are unchanged since `others`, from `next` on, and those
    /// that have changed.
    struct Contest {
        Contest(const ShareComparisons::Order& others, std::pmr::memory_resource* memory)
            : next(others.begin()), end(others.end()), changed(memory) {}

        ShareComparisons::Order::const_iterator next;
        ShareComparisons::Order::const_iterator end;
        Heap changed;
    };
    struct Cohort {
        Cohort(
            const ShareComparisons::Order& others_queues,
            const ShareComparisons::Order& others_cohorts,
            std::pmr::memory_resource* memory
        )
            : queues(others_queues, memory), cohorts(others_cohorts, memory) {}

        Contest queues;
        Contest cohorts;
    };
    /// A node that differs from `others`.
    struct NodeState {
        ShareRank share;
        bool borrows = false;
        bool is_pruned = false;
        std::uint32_t changes = 0;  ///< entries of the node with a lower number are outdated
        std::optional<CandidateWalk> walk;
        std::size_t next = 0;  ///< without a walk: index in candidates_, up to `end`
        std::size_t end = 0;
    };

    bool is_ancestor(NodeIndex cohort) const;
    NodeIndex child_of(NodeIndex cohort, NodeIndex below) const;
    const Candidate* candidate_of(const NodeState& state) const;
    /// Returns the children of the cohort. The preemptor's usage changes the nodes above its own
    /// ClusterQueue, so the child on that path, if any, is added as changed.
    Cohort& cohort(NodeIndex node);
    /// Returns the node's values; on first use, those of others_.
    NodeState& node_state(NodeIndex node);
    /// Adds the node to its parent's children with its current values.
    void enter(NodeIndex node, NodeState& state);
    /// Removes outdated entries, and entries of nodes that can give no victim, from the top of the
    /// heap.
    void drop_outdated(Contest& contest);
    /// The kind of children of a cohort.
    enum class Children : std::uint8_t { ClusterQueues, Cohorts };
    /// Skips children of `others` that have changed or have no workload that the preemptor may
    /// evict.
    void pass_over_changed(Contest& contest, Children children);
    /// Returns the child with the highest share that borrows; the child on the preemptor's path
    /// need not borrow.
    const Contestant* first_of(Contest& contest, Children children);
    /// Returns the cohorts with that share, which is the highest of the contest.
    std::vector<NodeIndex> cohorts_of_share(const Contest& contest, ShareRank share) const;
    /// Returns true if victims are taken from the ClusterQueue `a` before `b` at equal shares.
    bool is_better(const Contestant& a, const Contestant& b) const;
    /// Returns the ClusterQueue below the cohort to take the next victim from. Returns nullopt if
    /// the cohort has none, or if the cohorts with the highest share have none; those are dropped.
    std::optional<Contestant> descend(NodeIndex cohort_node);

    const State& state_;
    const UsageView& view_;
    CandidateLists& lists_;
    NodeIndex preemptor_queue_;
    const ShareComparisons* others_ = nullptr;
    const FlavorResources* needed_ = nullptr;
    EvictionRight right_;
    std::optional<CandidateWalk> own_;
    std::vector<const Candidate*> candidates_;
    NodeIndex popped_;  // is added again when the search continues
    // Most searches find their victims among few nodes.
    std::array<std::byte, 4096> buffer_;
    std::pmr::monotonic_buffer_resource memory_{buffer_.data(), buffer_.size()};
    std::pmr::map<NodeIndex, NodeState> node_states_{&memory_};
    std::pmr::map<NodeIndex, Cohort> cohorts_{&memory_};
};

}  // namespace sluice::engine
