#pragma once

#include "engine/preemption/candidate_lists.hpp"
#include "engine/preemption/fair_share_bounds.hpp"
#include "engine/preemption/overdrawn_queues.hpp"
#include "engine/preemption/preemption_context.hpp"
#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/ids.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace sluice::engine {

/// A workload to evict, and why.
struct PreemptionTarget {
    WorkloadIndex workload;
    PreemptionReason reason = PreemptionReason::InClusterQueue;
};

/// What room is wanted: for which workload, its ClusterQueue, all that it would use, and the
/// flavor-resources for which there is no room.
struct PreemptionRequest {
    WorkloadIndex workload;
    NodeIndex cluster_queue;
    Usages usage;
    FlavorResources needed;
    friend bool operator==(const PreemptionRequest&, const PreemptionRequest&) = default;

    Demand demand() const { return {.cluster_queue = cluster_queue, .usages = usage}; }
};

/// Whether the preemptor may borrow from its cohort.
enum class Borrowing : std::uint8_t { Forbidden, Allowed };

/// Searches for the workloads whose eviction makes room (KEP-83, KEP-1337, KEP-1714). Changes the
/// tree's usage while it searches and restores it before it returns.
class PreemptionSearch {
  public:
    explicit PreemptionSearch(const PreemptionContext& context) : context_(context) {}

    PreemptionSearch(const PreemptionSearch&) = delete;
    PreemptionSearch& operator=(const PreemptionSearch&) = delete;

    /// To be called for each ClusterQueue whose usage changes between two searches, or whose
    /// holders become removed, after that. Requires: those alone have changed since the last
    /// search.
    void usage_changed(NodeIndex cluster_queue);
    /// Usage has changed anywhere.
    void usage_changed();

    /// Targets in the order they are evicted; empty when nothing helps. *Lifetime*: until the next
    /// search.
    const std::vector<PreemptionTarget>& find(const PreemptionRequest& preemptor);

    /// Whether a ClusterQueue without room for `amount` more may search for victims at all: where
    /// it would borrow only if a policy allows it to evict others while it borrows.
    bool may_help(NodeIndex cluster_queue, FlavorResourceIndex needed, Amount amount) const;

    /// What evicting could do for one flavor-resource alone: a search for that is made
    /// before the flavor is chosen.
    struct Possibility {
        enum class Kind : std::uint8_t { NoCandidates, Preempt, Reclaim };
        Kind kind = Kind::NoCandidates;
        std::int32_t level = 0;  ///< borrowing level after the evictions
        /// NoCandidates: some holder would be a candidate if its priority were lower.
        bool is_spared_by_priority = false;
    };
    Possibility simulate(
        WorkloadIndex workload, NodeIndex cluster_queue, FlavorResourceIndex needed, Amount amount
    );

    /// Whether the preemptor fits now.
    bool fits(const PreemptionRequest& preemptor, Borrowing borrowing) const;
    /// Takes the target's usage out of the tree until the search ends.
    void evict(WorkloadIndex target);
    void bring_back(WorkloadIndex target);
    /// Drops targets that turn out not to be needed: all but the last are brought back one by one,
    /// the latest first, and stay if the preemptor fits all the same and `may_stay`, asked while
    /// the target is back, allows it.
    void fill_back(
        const PreemptionRequest& preemptor,
        std::vector<PreemptionTarget>& targets,
        Borrowing borrowing,
        const std::function<bool(WorkloadIndex target)>& may_stay
    );

    /// Holders of the ClusterQueue that use what the preemptor needs.
    CandidateList& candidates_in(NodeIndex cluster_queue, const PreemptionRequest& preemptor) {
        return context_.candidates.in(cluster_queue, preemptor.needed);
    }
    EvictionRight right_of(const PreemptionRequest& preemptor, PreemptionPolicy policy) const {
        return {
            &context_.state, &context_.state.workload(preemptor.workload), &context_.removed, policy
        };
    }
    /// Whether some other ClusterQueue above its quota may have a holder that the policy lets the
    /// preemptor evict; false is sure.
    bool may_find_elsewhere(const PreemptionRequest& preemptor, PreemptionPolicy policy);
    /// Notes of a search that finds no victim whether some holder of the ClusterQueue would be a
    /// candidate if its priority were lower.
    void note_spared(
        NodeIndex cluster_queue, const PreemptionRequest& preemptor, PreemptionPolicy policy
    );
    /// The same of all other ClusterQueues above their quota that `gives` is true of.
    template <class Gives>
    void note_spared_elsewhere(
        const PreemptionRequest& preemptor, PreemptionPolicy policy, Gives gives
    ) {
        if (policy == PreemptionPolicy::Never || policy == PreemptionPolicy::Any) {
            return;  // none is spared
        }
        const NodeIndex root = context_.view.node(preemptor.cluster_queue).root;
        for (const auto queue : context_.view.above_quota(root, preemptor.needed)) {
            if (!is_spared_by_priority_ && queue != preemptor.cluster_queue && gives(queue)) {
                note_spared(queue, preemptor, policy);
            }
        }
    }
    /// Notes of a search that has found its targets what simulate() asks about them. Requires: they
    /// are evicted, and the preemptor's usage is not assumed.
    void note_level(const PreemptionRequest& preemptor);
    bool within_subtree_quota(NodeIndex node, const FlavorResources& needed) const;

    const PreemptionContext& context() const { return context_; }
    const State& state() const { return context_.state; }
    UsageView& view() { return context_.view; }
    /// Of the preemptor's tree, for what it needs. Requires: no what-if of the search's.
    FairShareBounds& share_bounds(const PreemptionRequest& preemptor);
    const OverdrawnQueues& overdrawn_queues(const PreemptionRequest& preemptor);

  private:
    struct Asked {
        PreemptionRequest preemptor;
        std::size_t changes = 0;
        bool is_spared_by_priority = false;
        std::optional<std::int32_t> level;  ///< of one usage, see Possibility
        std::vector<PreemptionTarget> targets;
    };
    /// What is known for a root and what is needed, and how many of the changes it knows.
    template <class Known>
    using ByNeed = std::map<std::pair<NodeIndex, FlavorResources>, std::pair<Known, std::size_t>>;
    /// Whether a holder that is not removed and uses what is needed is so.
    template <class Is>
    bool has_holder(NodeIndex cluster_queue, const PreemptionRequest& preemptor, Is is) const;
    std::int32_t level_of(const PreemptionRequest& preemptor) const;
    std::int32_t level_without(
        const std::vector<PreemptionTarget>& targets, const PreemptionRequest& preemptor
    );
    template <class Known>
    Known& known(ByNeed<Known>& by_need, const PreemptionRequest& preemptor);

    PreemptionContext context_;
    // What is remembered holds for the usage at version_ (what-ifs end as they began) but for the
    // changes that were told since it was worked out.
    std::uint64_t version_ = 0;
    std::map<NodeIndex, std::vector<NodeIndex>> changed_;  // ClusterQueues by root
    std::size_t changes_ = 0;
    std::set<std::pair<NodeIndex, FlavorResources>> asked_;  // for what is needed of which root
    ByNeed<FairShareBounds> shares_;
    ByNeed<OverdrawnQueues> overdrawn_;
    // A head that lacks one flavor-resource asks for it alone and then for all that it needs: often
    // alike.
    std::optional<Asked> asked_last_;
    bool is_spared_by_priority_ = false;  // see Possibility
    std::optional<std::int32_t> level_;
};

/// The search without fair sharing: by class of candidate and by how far they borrow (KEP-83,
/// KEP-1337).
std::vector<PreemptionTarget> find_classical_targets(
    PreemptionSearch& search, const PreemptionRequest& preemptor
);

/// The search under fair sharing: from the ClusterQueue with the largest share (KEP-1714).
std::vector<PreemptionTarget> find_fair_targets(
    PreemptionSearch& search, const PreemptionRequest& preemptor
);

}  // namespace sluice::engine
