// The search for workloads whose eviction makes room for another workload.
#pragma once

#include "engine/placement/workload_placer.hpp"
#include "engine/preemption/candidate_lists.hpp"
#include "engine/preemption/fair_share_bounds.hpp"
#include "engine/preemption/preemption_context.hpp"
#include "engine/preemption/queues_above_quota.hpp"
#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/ids.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace sluice::engine {

/// A workload to evict, and the reason for its eviction.
struct PreemptionTarget {
    WorkloadIndex workload;
    PreemptionReason reason = PreemptionReason::InClusterQueue;
};

/// The workload that needs quota (the preemptor) and its ClusterQueue, the usage that has to fit,
/// the flavor-resources of which the ClusterQueue has too little, and the podSets that need places
/// on nodes.
struct PreemptionRequest {
    WorkloadIndex workload;
    NodeIndex cluster_queue;
    Usages usage;
    FlavorResources needed;
    std::vector<PodSetToPlace> to_place = {};
    /// The slice that the preemptor replaces, if its pods keep their places; not evicted.
    WorkloadIndex spared = {};
    friend bool operator==(const PreemptionRequest&, const PreemptionRequest&) = default;

    Demand demand() const { return {.cluster_queue = cluster_queue, .usages = usage}; }
};

/// Permission for the preemptor to borrow from its cohort.
enum class Borrowing : std::uint8_t { Forbidden, Allowed };

/// Searches for the workloads whose eviction makes room (KEP-83, KEP-1337, KEP-1714). A search
/// changes the usage of the view, and restores it before it returns.
class PreemptionSearch {
  public:
    explicit PreemptionSearch(const PreemptionContext& context)
        : context_(context), rooms_(std::make_unique<RoomCache>()) {}

    PreemptionSearch(const PreemptionSearch&) = delete;
    PreemptionSearch& operator=(const PreemptionSearch&) = delete;

    /// Reports that the usage of a ClusterQueue has changed, or that holders of it were removed.
    /// Required after each such change. Requires: only reported ClusterQueues have changed since
    /// the last search.
    void usage_changed(NodeIndex cluster_queue);
    /// Reports that usage may have changed anywhere.
    void usage_changed();

    /// Returns the targets in the order in which they are evicted; empty if no eviction helps.
    /// *Lifetime*: until the next search.
    const std::vector<PreemptionTarget>& find(const PreemptionRequest& preemptor);

    /// Returns true if a ClusterQueue without room for `amount` more may search for victims. If it
    /// would have to borrow for that, a policy must let it evict workloads while it borrows.
    bool may_help(NodeIndex cluster_queue, FlavorResourceIndex needed, Amount amount) const;

    /// The effect that evictions could have for one flavor-resource alone. FlavorAssigner asks for
    /// it before it chooses a flavor.
    struct Possibility {
        enum class Kind : std::uint8_t { NoCandidates, Preempt, Reclaim };
        Kind kind = Kind::NoCandidates;
        std::int32_t level = 0;  ///< borrowing level after the evictions
        /// NoCandidates: a holder would be a candidate if its priority were lower.
        bool is_spared_by_priority = false;
    };
    /// Searches for victims for one flavor-resource.
    Possibility simulate(
        WorkloadIndex workload, NodeIndex cluster_queue, FlavorResourceIndex needed, Amount amount
    );

    /// Returns true if the preemptor fits with the usage that the view shows.
    bool fits(const PreemptionRequest& preemptor, Borrowing borrowing) const;
    /// Removes the target's usage from the view until the search ends.
    void evict(WorkloadIndex target);
    /// Takes evict() back.
    void bring_back(WorkloadIndex target);
    /// Drops targets that are not needed. Brings back each target except the last one, the latest
    /// first. The target stays back if the preemptor still fits and `may_stay` returns true; the
    /// function is called while the target is back.
    void fill_back(
        const PreemptionRequest& preemptor,
        std::vector<PreemptionTarget>& targets,
        Borrowing borrowing,
        const std::function<bool(WorkloadIndex target)>& may_stay
    );

    /// Returns the holders of the ClusterQueue that use what the preemptor needs.
    CandidateList& candidates_in(NodeIndex cluster_queue, const PreemptionRequest& preemptor) {
        return context_.candidates.in(cluster_queue, preemptor.needed);
    }
    EvictionRight right_of(const PreemptionRequest& preemptor, PreemptionPolicy policy) const {
        return {
            &context_.state,
            &context_.state.workload(preemptor.workload),
            &context_.removed,
            policy,
            preemptor.spared
        };
    }
    /// Returns false if no other ClusterQueue above its quota has a holder that the policy lets the
    /// preemptor evict. True is not certain.
    bool may_find_elsewhere(const PreemptionRequest& preemptor, PreemptionPolicy policy);
    /// Records, for a search that finds no victim, if a holder of the ClusterQueue would be a
    /// candidate with a lower priority.
    void record_spared(
        NodeIndex cluster_queue, const PreemptionRequest& preemptor, PreemptionPolicy policy
    );
    /// Like record_spared(), for all other ClusterQueues above their quota for which `gives`
    /// returns true.
    template <class Gives>
    void record_spared_elsewhere(
        const PreemptionRequest& preemptor, PreemptionPolicy policy, Gives gives
    ) {
        if (policy == PreemptionPolicy::Never || policy == PreemptionPolicy::Any) {
            return;  // no holder is spared
        }
        const NodeIndex root = context_.view.node(preemptor.cluster_queue).root;
        for (const auto queue : context_.view.above_quota(root, preemptor.needed)) {
            if (!is_spared_by_priority_ && queue != preemptor.cluster_queue && gives(queue)) {
                record_spared(queue, preemptor, policy);
            }
        }
    }
    /// Records the level that simulate() returns, for a search that has found its targets.
    /// Requires: the targets are evicted in the view, and the preemptor's usage is not assumed.
    void note_level(const PreemptionRequest& preemptor);
    /// Returns true if the node uses no more than the quota of its subtree for any of `needed`.
    bool within_subtree_quota(NodeIndex node, const FlavorResources& needed) const;

    const PreemptionContext& context() const { return context_; }
    const State& state() const { return context_.state; }
    UsageView& view() { return context_.view; }
    /// The rooms of equal pods on nodes, kept from one placement of the cycle to the next.
    RoomCache& rooms() const { return *rooms_; }
    /// Returns the bounds for the preemptor's tree and what the preemptor needs. Requires: the
    /// search has not changed the view.
    FairShareBounds& share_bounds(const PreemptionRequest& preemptor);
    const QueuesAboveQuota& queues_above_quota(const PreemptionRequest& preemptor);

  private:
    bool has_places(const PreemptionRequest& preemptor) const;
    struct Asked {
        PreemptionRequest preemptor;
        std::size_t changes = 0;
        bool is_spared_by_priority = false;
        std::optional<std::int32_t> level;  ///< set for a single usage; see Possibility
        std::vector<PreemptionTarget> targets;
    };
    /// Results by root and needed flavor-resources, each with the number of the root's changes that
    /// it includes.
    template <class Known>
    using ByNeed = std::map<std::pair<NodeIndex, FlavorResources>, std::pair<Known, std::size_t>>;
    /// Returns true if `is` returns true for a holder that is not removed and uses what is needed.
    template <class Is>
    bool has_holder(NodeIndex cluster_queue, const PreemptionRequest& preemptor, Is is) const;
    std::int32_t level_of(const PreemptionRequest& preemptor) const;
    std::int32_t level_without(
        const std::vector<PreemptionTarget>& targets, const PreemptionRequest& preemptor
    );
    template <class Known>
    Known& known(ByNeed<Known>& by_need, const PreemptionRequest& preemptor);

    PreemptionContext context_;
    std::unique_ptr<RoomCache> rooms_;
    // Remembered results apply to the usage at version_, except that they lack the changes reported
    // since they were computed. Trials restore the version.
    std::uint64_t version_ = 0;
    std::map<NodeIndex, std::vector<NodeIndex>> changed_;  // ClusterQueues by root
    std::size_t changes_ = 0;
    std::set<std::pair<NodeIndex, FlavorResources>> asked_;  // roots and needs of earlier calls
    ByNeed<FairShareBounds> shares_;
    ByNeed<QueuesAboveQuota> above_quota_;
    // A head that lacks one flavor-resource searches for it alone, and then for all that it needs.
    // Often both requests are equal.
    std::optional<Asked> asked_last_;
    bool is_spared_by_priority_ = false;  // see Possibility
    std::optional<std::int32_t> level_;
};

/// Searches without fair sharing (KEP-83, KEP-1337): by class of candidate, with or without
/// borrowing.
std::vector<PreemptionTarget> find_classical_targets(
    PreemptionSearch& search, const PreemptionRequest& preemptor
);

/// Searches under fair sharing (KEP-1714): takes victims from the ClusterQueue with the largest
/// share.
std::vector<PreemptionTarget> find_fair_targets(
    PreemptionSearch& search, const PreemptionRequest& preemptor
);

}  // namespace sluice::engine
