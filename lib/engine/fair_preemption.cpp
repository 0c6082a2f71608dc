// Preemption under fair sharing: spec 5.8.
#include "base/assert.hpp"
#include "engine/fair_sharing.hpp"
#include "engine/preemption.hpp"
#include "engine/victim_order.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

/// Walks the ClusterQueues to take victims from: from the root always down into the child with the
/// highest share, as usage changes under it. Looks only at nodes that have candidates below them.
class TargetQueues {
  public:
    TargetQueues(
        PreemptionSearch& search,
        NodeIndex preemptor_queue,
        const std::vector<WorkloadIndex>& candidates
    )
        : search_(search), tree_(search.tree()), preemptor_queue_(preemptor_queue) {
        for (const auto candidate : candidates) {
            const NodeIndex queue = search_.state().workload(candidate).holding->cluster_queue;
            auto& of_queue = by_queue_[queue];
            if (of_queue.victims.empty()) {
                link_to_root(queue);
            }
            of_queue.victims.push_back(candidate);
        }
        for (auto& [cohort, children] : children_) {
            std::sort(children.begin(), children.end(), [this](NodeIndex a, NodeIndex b) {
                return tree_.node(a).name < tree_.node(b).name;
            });
        }
        for (NodeIndex at = tree_.node(preemptor_queue).parent; at.is_valid();
             at = tree_.node(at).parent) {
            preemptor_ancestors_.push_back(at);
        }
        std::sort(preemptor_ancestors_.begin(), preemptor_ancestors_.end());
    }

    /// The next ClusterQueue; none when all are exhausted.
    NodeIndex next() {
        const auto& own = tree_.node(preemptor_queue_);
        if (!own.parent.is_valid()) {
            return has_candidates(preemptor_queue_) && !pruned_.contains(preemptor_queue_)
                       ? preemptor_queue_
                       : NodeIndex{};
        }
        while (!children_.empty() && !pruned_.contains(own.root)) {
            const NodeIndex found = descend(own.root);
            if (found.is_valid()) {
                return found;
            }
        }
        return {};
    }

    bool has_candidates(NodeIndex queue) const {
        const auto at = by_queue_.find(queue);
        return at != by_queue_.end() && at->second.next < at->second.victims.size();
    }

    WorkloadIndex pop(NodeIndex queue) {
        auto& left = by_queue_.at(queue);
        return left.victims[left.next++];
    }

    void drop(NodeIndex queue) { pruned_.insert(queue); }

    /// Requires a call for each ClusterQueue whose usage changes.
    void usage_changed(NodeIndex queue) {
        for (NodeIndex at = queue; at.is_valid(); at = tree_.node(at).parent) {
            shares_.erase(at);
        }
    }

    /// The children of the lowest common cohort on the preemptor's and on the target's path.
    std::pair<NodeIndex, NodeIndex> below_common_cohort(NodeIndex target) const {
        NodeIndex common = tree_.node(target).parent;
        while (!is_ancestor(common)) {
            common = tree_.node(common).parent;
        }
        return {child_of(common, preemptor_queue_), child_of(common, target)};
    }

  private:
    /// The candidates of a ClusterQueue, best victim first.
    struct Candidates {
        std::vector<WorkloadIndex> victims;
        std::size_t next = 0;

        WorkloadIndex front() const { return victims[next]; }
    };

    void link_to_root(NodeIndex queue) {
        NodeIndex child = queue;
        for (NodeIndex at = tree_.node(child).parent; at.is_valid(); at = tree_.node(at).parent) {
            auto& children = children_[at];
            children.push_back(child);
            if (children.size() > 1) {
                return;  // the way from there on is known
            }
            child = at;
        }
    }

    bool is_ancestor(NodeIndex cohort) const {
        return std::binary_search(preemptor_ancestors_.begin(), preemptor_ancestors_.end(), cohort);
    }

    NodeIndex child_of(NodeIndex cohort, NodeIndex below) const {
        while (tree_.node(below).parent != cohort) {
            below = tree_.node(below).parent;
        }
        return below;
    }

    const Share& share(NodeIndex node) {
        const auto [at, is_new] = shares_.try_emplace(node);
        if (is_new) {
            at->second = share_of(search_.state(), node);
        }
        return at->second;
    }

    NodeIndex highest_queue(NodeIndex cohort, Share& highest) {
        NodeIndex best;
        for (const auto child : children_.at(cohort)) {
            if (!tree_.node(child).is_cluster_queue || pruned_.contains(child)) {
                continue;
            }
            const Share& of_child = share(child);
            if ((!of_child.is_borrowing() && child != preemptor_queue_) || !has_candidates(child)) {
                pruned_.insert(child);
                continue;
            }
            const int order = best.is_valid() ? compare(of_child, highest) : 1;
            const bool better_victim =
                order == 0 &&
                search_.is_better_victim(
                    by_queue_.at(child).front(), by_queue_.at(best).front(), preemptor_queue_
                );
            if (order > 0 || better_victim) {
                best = child;
                highest = of_child;
            }
        }
        return best;
    }

    NodeIndex highest_cohort(NodeIndex cohort, Share& highest) {
        NodeIndex best;
        for (const auto child : children_.at(cohort)) {
            if (tree_.node(child).is_cluster_queue || pruned_.contains(child)) {
                continue;
            }
            const Share& of_child = share(child);
            if (!of_child.is_borrowing() && !is_ancestor(child)) {
                pruned_.insert(child);
            } else if (!best.is_valid() || compare(of_child, highest) >= 0) {
                best = child;
                highest = of_child;
            }
        }
        return best;
    }

    NodeIndex descend(NodeIndex cohort) {
        Share queue_share;
        Share cohort_share;
        const NodeIndex queue = highest_queue(cohort, queue_share);
        const NodeIndex child = highest_cohort(cohort, cohort_share);
        if (!queue.is_valid() && !child.is_valid()) {
            pruned_.insert(cohort);
            return {};
        }
        if (child.is_valid() && (!queue.is_valid() || compare(cohort_share, queue_share) >= 0)) {
            return descend(child);
        }
        return queue;
    }

    PreemptionSearch& search_;
    QuotaTree& tree_;
    NodeIndex preemptor_queue_;
    std::map<NodeIndex, Candidates> by_queue_;
    std::map<NodeIndex, std::vector<NodeIndex>> children_;  // with candidates below them, by name
    std::vector<NodeIndex> preemptor_ancestors_;            // sorted
    std::set<NodeIndex> pruned_;
    std::map<NodeIndex, Share> shares_;  // until usage changes
};

class FairSearch {
  public:
    FairSearch(PreemptionSearch& search, const Preemptor& preemptor)
        : search_(search), preemptor_(preemptor), tree_(search.tree()) {}

    std::vector<PreemptionTarget> run() {
        const auto candidates = collect();
        if (candidates.empty()) {
            return {};
        }
        const auto mark = tree_.mark();
        tree_.assume_usage(preemptor_.cluster_queue, preemptor_.usage);
        bool fits = first_strategy(candidates);
        if (!fits && search_.state().options().fair_sharing_strategies.size() > 1) {
            fits = second_strategy();
        }
        if (!fits) {
            tree_.rollback(mark);
            return {};
        }
        tree_.assume_no_usage(preemptor_.cluster_queue, preemptor_.usage);
        search_.fill_back(preemptor_, targets_, true);
        tree_.rollback(mark);
        return std::move(targets_);
    }

  private:
    std::vector<WorkloadIndex> collect() const {
        const State& state = search_.state();
        const NodeIndex own = preemptor_.cluster_queue;
        const Preemption& policy = state.cluster_queue(own).spec.preemption;
        auto found = search_.candidates_in(own, policy.within_cluster_queue, preemptor_);
        if (tree_.node(own).parent.is_valid() &&
            policy.reclaim_within_cohort != PreemptionPolicy::Never &&
            !(found.empty() && is_in_vain_elsewhere())) {
            for (const auto queue : tree_.above_quota(tree_.node(own).root, preemptor_.needed)) {
                if (queue == own) {
                    continue;
                }
                const auto more =
                    search_.candidates_in(queue, policy.reclaim_within_cohort, preemptor_);
                found.insert(found.end(), more.begin(), more.end());
            }
        }
        std::sort(found.begin(), found.end(), [&](WorkloadIndex a, WorkloadIndex b) {
            return search_.is_better_victim(a, b, own);
        });
        put_larger_users_first(state, found, [](WorkloadIndex victim) { return victim; });
        return found;
    }

    /// Whether no workload of another ClusterQueue could be taken.
    bool is_in_vain_elsewhere() const {
        return !takes_back_its_own() && search_.fair_share_bounds().is_in_vain(preemptor_);
    }

    /// Whether the strategies do not count, because with all it asks for the preemptor stays within
    /// its own quota.
    bool takes_back_its_own() const {
        if (!search_.state().options().gates.fair_sharing_preempt_within_nominal) {
            return false;
        }
        const auto mark = tree_.mark();
        tree_.assume_usage(preemptor_.cluster_queue, preemptor_.usage);
        const bool result =
            search_.within_subtree_quota(preemptor_.cluster_queue, preemptor_.needed);
        tree_.rollback(mark);
        return result;
    }

    /// The preemptor's usage counts in every share, but not twice when asking whether it fits.
    bool fits() {
        const auto mark = tree_.mark();
        tree_.assume_no_usage(preemptor_.cluster_queue, preemptor_.usage);
        const bool result = search_.fits(preemptor_, true);
        tree_.rollback(mark);
        return result;
    }

    bool take(TargetQueues& queues, WorkloadIndex victim, PreemptionReason reason) {
        search_.evict(victim);
        queues.usage_changed(search_.state().workload(victim).holding->cluster_queue);
        targets_.push_back({victim, reason});
        return fits();
    }

    bool first_strategy(const std::vector<WorkloadIndex>& candidates) {
        TargetQueues queues(search_, preemptor_.cluster_queue, candidates);
        const bool within_nominal =
            search_.state().options().gates.fair_sharing_preempt_within_nominal &&
            search_.within_subtree_quota(preemptor_.cluster_queue, preemptor_.needed);
        for (NodeIndex queue = queues.next(); queue.is_valid(); queue = queues.next()) {
            if (queue == preemptor_.cluster_queue) {
                if (take(queues, queues.pop(queue), PreemptionReason::InClusterQueue)) {
                    return true;
                }
            } else if (within_nominal) {
                if (take(queues, queues.pop(queue), PreemptionReason::InCohortReclamation)) {
                    return true;
                }
            } else if (take_by_strategy(queues, queue)) {
                return true;
            }
        }
        return false;
    }

    bool passes(const Share& preemptor, const Share& target_before, const Share& target_after)
        const {
        switch (search_.state().options().fair_sharing_strategies.front()) {
            case FairSharingStrategy::LessThanOrEqualToFinalShare:
                return compare(preemptor, target_after) <= 0;
            case FairSharingStrategy::LessThanInitialShare:
                return compare(preemptor, target_before) < 0;
        }
        return false;
    }

    bool take_by_strategy(TargetQueues& queues, NodeIndex queue) {
        const auto [own_node, target_node] = queues.below_common_cohort(queue);
        const Share own = share_of(search_.state(), own_node);
        const Share before = share_of(search_.state(), target_node);
        const bool hopeless = std::isinf(own.weighted()) && !std::isinf(before.weighted());
        while (queues.has_candidates(queue)) {
            const WorkloadIndex candidate = queues.pop(queue);
            bool passed = false;
            if (!hopeless) {
                const auto mark = tree_.mark();
                search_.evict(candidate);
                const Share after = share_of(search_.state(), target_node);
                tree_.rollback(mark);
                passed = passes(own, before, after);
            }
            if (!passed) {
                retry_.push_back(candidate);
                continue;
            }
            return take(queues, candidate, PreemptionReason::InCohortFairSharing);
        }
        return false;
    }

    bool second_strategy() {
        TargetQueues queues(search_, preemptor_.cluster_queue, retry_);
        for (NodeIndex queue = queues.next(); queue.is_valid(); queue = queues.next()) {
            const auto [own_node, target_node] = queues.below_common_cohort(queue);
            const bool passed =
                compare(
                    share_of(search_.state(), own_node), share_of(search_.state(), target_node)
                ) < 0;
            const WorkloadIndex candidate = queues.pop(queue);
            if (passed && take(queues, candidate, PreemptionReason::InCohortFairSharing)) {
                return true;
            }
            queues.drop(queue);
        }
        return false;
    }

    PreemptionSearch& search_;
    const Preemptor& preemptor_;
    QuotaTree& tree_;
    std::vector<PreemptionTarget> targets_;
    std::vector<WorkloadIndex> retry_;
};

}  // namespace

std::vector<PreemptionTarget> find_fair_targets(
    PreemptionSearch& search, const Preemptor& preemptor
) {
    return FairSearch(search, preemptor).run();
}

}  // namespace sluice::engine
