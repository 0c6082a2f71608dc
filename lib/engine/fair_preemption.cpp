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
///
/// *Cost*: of a step, the depth times the logarithm of the children.
class TargetQueues {
  public:
    /// `candidates`: of each ClusterQueue the best victim first.
    TargetQueues(
        PreemptionSearch& search,
        NodeIndex preemptor_queue,
        const std::vector<WorkloadIndex>& candidates
    )
        : search_(search), tree_(search.tree()), preemptor_queue_(preemptor_queue) {
        for (NodeIndex at = tree_.node(preemptor_queue).parent; at.is_valid();
             at = tree_.node(at).parent) {
            preemptor_ancestors_.push_back(at);
        }
        std::sort(preemptor_ancestors_.begin(), preemptor_ancestors_.end());
        for (const auto candidate : candidates) {
            const NodeIndex queue = search_.state().workload(candidate).holding->cluster_queue;
            by_queue_[queue].victims.push_back(candidate);
        }
        for (const auto& [queue, victims] : by_queue_) {
            for (NodeIndex at = queue;
                 at.is_valid() && standings_.try_emplace(at, First{this}).second;
                 at = tree_.node(at).parent) {
                standings_.at(at).share = share_of(search_.state(), at);
            }
        }
        for (const auto& [node, standing] : standings_) {
            enter(node);
        }
    }
    TargetQueues(const TargetQueues&) = delete;
    TargetQueues& operator=(const TargetQueues&) = delete;

    /// The next ClusterQueue; none when all are exhausted.
    NodeIndex next() {
        const auto& own = tree_.node(preemptor_queue_);
        if (!own.parent.is_valid()) {
            return has_candidates(preemptor_queue_) && !pruned_.contains(preemptor_queue_)
                       ? preemptor_queue_
                       : NodeIndex{};
        }
        while (standings_.contains(own.root) && !pruned_.contains(own.root)) {
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
        leave(queue);  // under the victim that it stands there with
        auto& left = by_queue_.at(queue);
        const WorkloadIndex popped = left.victims[left.next++];
        enter(queue);
        return popped;
    }

    void drop(NodeIndex queue) { prune(queue); }

    /// Requires a call for each ClusterQueue whose usage changes.
    void usage_changed(NodeIndex queue) {
        for (NodeIndex at = queue; at.is_valid(); at = tree_.node(at).parent) {
            const auto standing = standings_.find(at);
            if (standing != standings_.end()) {
                leave(at);
                standing->second.share = share_of(search_.state(), at);
                enter(at);
            }
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
    /// Of two children of a cohort, which one is looked at first.
    struct First {
        const TargetQueues* of = nullptr;
        bool operator()(NodeIndex a, NodeIndex b) const { return of->goes_first(a, b); }
    };
    using Contest = std::set<NodeIndex, First>;
    struct Standing {
        explicit Standing(First order) : queues(order), cohorts(order) {}

        Share share;
        Contest queues;  ///< cohorts: those of the children that are not pruned
        Contest cohorts;
    };

    bool goes_first(NodeIndex a, NodeIndex b) const {
        const int order = compare(standings_.at(a).share, standings_.at(b).share);
        if (order != 0) {
            return order > 0;
        }
        if (a == b) {
            return false;
        }
        const auto& node = tree_.node(a);
        // Upstream walks equal cohorts in the order of a map and takes the last.
        return node.is_cluster_queue
                   ? search_.is_better_victim(
                         by_queue_.at(a).front(), by_queue_.at(b).front(), preemptor_queue_
                     )
                   : node.name > tree_.node(b).name;
    }

    /// The contest that the node is part of; none: it is a root, or pruned, or exhausted.
    Contest* contest_of(NodeIndex node) {
        const auto& of_node = tree_.node(node);
        if (!of_node.parent.is_valid() || pruned_.contains(node) ||
            (of_node.is_cluster_queue && !has_candidates(node))) {
            return nullptr;
        }
        Standing& parent = standings_.at(of_node.parent);
        return of_node.is_cluster_queue ? &parent.queues : &parent.cohorts;
    }
    void enter(NodeIndex node) {
        if (Contest* contest = contest_of(node)) {
            contest->insert(node);
        }
    }
    void leave(NodeIndex node) {
        if (Contest* contest = contest_of(node)) {
            contest->erase(node);
        }
    }
    void prune(NodeIndex node) {
        leave(node);
        pruned_.insert(node);
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

    /// The child with the highest share that borrows; the preemptor's own way needs not.
    NodeIndex first_of(const Contest& contest) {
        while (!contest.empty()) {
            const NodeIndex child = *contest.begin();
            if (standings_.at(child).share.is_borrowing() || child == preemptor_queue_ ||
                is_ancestor(child)) {
                return child;
            }
            prune(child);
        }
        return {};
    }

    NodeIndex descend(NodeIndex root) {
        for (NodeIndex cohort = root;;) {
            const Standing& standing = standings_.at(cohort);
            const NodeIndex queue = first_of(standing.queues);
            const NodeIndex child = first_of(standing.cohorts);
            if (!queue.is_valid() && !child.is_valid()) {
                prune(cohort);
                return {};
            }
            const bool is_queue_first =
                queue.is_valid() &&
                (!child.is_valid() ||
                 compare(standings_.at(child).share, standings_.at(queue).share) < 0);
            if (is_queue_first) {
                return queue;
            }
            cohort = child;
        }
    }

    PreemptionSearch& search_;
    QuotaTree& tree_;
    NodeIndex preemptor_queue_;
    std::map<NodeIndex, Candidates> by_queue_;
    std::map<NodeIndex, Standing> standings_;     // of the nodes with candidates below them
    std::vector<NodeIndex> preemptor_ancestors_;  // sorted
    std::set<NodeIndex> pruned_;
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
    /// Of each ClusterQueue the best victim first.
    std::vector<WorkloadIndex> collect() const {
        const State& state = search_.state();
        const NodeIndex own = preemptor_.cluster_queue;
        const Preemption& policy = state.cluster_queue(own).spec.preemption;
        auto found = search_.candidates_in(own, policy.within_cluster_queue, preemptor_);
        const auto sort_from = [&](std::size_t first) {
            const auto begin = found.begin() + static_cast<std::ptrdiff_t>(first);
            std::sort(begin, found.end(), [&](WorkloadIndex a, WorkloadIndex b) {
                return search_.is_better_victim(a, b, own);
            });
        };
        sort_from(0);
        if (tree_.node(own).parent.is_valid() &&
            policy.reclaim_within_cohort != PreemptionPolicy::Never &&
            !(found.empty() && is_in_vain_elsewhere())) {
            for (const auto queue : tree_.above_quota(tree_.node(own).root, preemptor_.needed)) {
                if (queue == own) {
                    continue;
                }
                const auto more =
                    search_.candidates_in(queue, policy.reclaim_within_cohort, preemptor_);
                const std::size_t before = found.size();
                found.insert(found.end(), more.begin(), more.end());
                sort_from(before);
            }
        }
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
