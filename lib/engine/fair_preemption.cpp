// Preemption under fair sharing: spec 5.8.
#include "base/assert.hpp"
#include "engine/fair_sharing.hpp"
#include "engine/preemption.hpp"
#include "engine/victim_order.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

/// Walks the ClusterQueues to take victims from: from the root always down into the child with the
/// highest share, as usage changes under it. Looks only at nodes that have candidates below them.
///
/// *Cost*: to begin, of the candidates; of a step, the depth times the logarithm of the children.
class TargetQueues {
  public:
    /// `candidates`: those of one ClusterQueue together, the best victim first.
    TargetQueues(
        PreemptionSearch& search,
        NodeIndex preemptor_queue,
        std::vector<const Candidate*> candidates
    )
        : search_(search),
          tree_(search.tree()),
          preemptor_queue_(preemptor_queue),
          candidates_(std::move(candidates)) {
        for (NodeIndex at = tree_.node(preemptor_queue).parent; at.is_valid();
             at = tree_.node(at).parent) {
            preemptor_ancestors_.push_back(at);
        }
        std::sort(preemptor_ancestors_.begin(), preemptor_ancestors_.end());
        place_nodes();
        for (Standing& standing : standings_) {
            const NodeIndex parent = tree_.node(standing.node).parent;
            standing.parent = parent.is_valid() ? position_of(parent) : kNone;
            take_share(standing);
            if (Contest* contest = contest_of(standing)) {
                contest->push_back(entry_of(standing));
            }
        }
        for (Standing& standing : standings_) {
            std::make_heap(standing.queues.begin(), standing.queues.end(), GoesLater{this});
            std::make_heap(standing.cohorts.begin(), standing.cohorts.end(), GoesLater{this});
        }
    }

    /// The next ClusterQueue; none when all are exhausted.
    NodeIndex next() {
        const auto& own = tree_.node(preemptor_queue_);
        if (!own.parent.is_valid()) {
            return has_candidates(preemptor_queue_) && !at(preemptor_queue_).is_pruned
                       ? preemptor_queue_
                       : NodeIndex{};
        }
        const std::size_t root = position_of(own.root);
        while (root != kNone && !standings_[root].is_pruned) {
            const NodeIndex found = descend(root);
            if (found.is_valid()) {
                return found;
            }
        }
        return {};
    }

    bool has_candidates(NodeIndex queue) const {
        const std::size_t position = position_of(queue);
        return position != kNone && standings_[position].has_candidates();
    }

    const Candidate* pop(NodeIndex queue) {
        Standing& standing = at(queue);
        const Candidate* popped = candidates_[standing.next++];
        enter_anew(standing);
        return popped;
    }

    void drop(NodeIndex queue) { at(queue).is_pruned = true; }

    /// Requires a call for each ClusterQueue whose usage changes.
    void usage_changed(NodeIndex queue) {
        for (std::size_t i = position_of(queue); i != kNone; i = standings_[i].parent) {
            take_share(standings_[i]);
            enter_anew(standings_[i]);
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
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    /// A child of a cohort as it was when it entered.
    struct Entry {
        ShareRank share;
        const Candidate* victim = nullptr;  ///< ClusterQueues: the next one
        std::uint32_t position = 0;
        std::uint32_t changes = 0;
    };
    using Contest = std::vector<Entry>;  // a heap
    struct Standing {
        NodeIndex node;
        std::size_t parent = kNone;
        ShareRank share;
        bool borrows = false;
        bool is_pruned = false;
        std::uint32_t changes = 0;  ///< entries from before the last one count no more
        std::size_t next = 0;       ///< ClusterQueues: of the candidates, up to `end`
        std::size_t end = 0;
        Contest queues;  ///< cohorts: the children
        Contest cohorts;

        bool has_candidates() const { return next < end; }
    };
    struct GoesLater {
        const TargetQueues* of = nullptr;
        bool operator()(const Entry& a, const Entry& b) const { return of->goes_first(b, a); }
    };

    bool goes_first(const Entry& a, const Entry& b) const {
        if (a.share != b.share) {
            return a.share > b.share;
        }
        if (a.victim != nullptr) {
            return is_better_victim(
                search_.state(), *a.victim, place_of(a), *b.victim, place_of(b)
            );
        }
        // Upstream walks equal cohorts in the order of a map and takes the last.
        return tree_.node(standings_[a.position].node).name >
               tree_.node(standings_[b.position].node).name;
    }

    /// Its own workloads are the last that a preemptor evicts.
    int place_of(const Entry& entry) const {
        return standings_[entry.position].node == preemptor_queue_ ? 1 : 0;
    }

    /// A standing for each ClusterQueue with candidates and each node above one.
    void place_nodes() {
        std::vector<NodeIndex> nodes;
        std::vector<Standing> queues;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            const NodeIndex queue =
                search_.state().workload(candidates_[i]->workload).holding->cluster_queue;
            if (queues.empty() || queues.back().node != queue) {
                queues.push_back({.node = queue, .next = i});
            }
            queues.back().end = i + 1;
        }
        NodeIndex last_parent;
        for (const Standing& queue : queues) {
            const NodeIndex parent = tree_.node(queue.node).parent;
            if (parent != last_parent) {
                for (NodeIndex at = parent; at.is_valid(); at = tree_.node(at).parent) {
                    nodes.push_back(at);
                }
            }
            last_parent = parent;
        }
        std::sort(nodes.begin(), nodes.end());
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        standings_ = std::move(queues);
        for (const NodeIndex node : nodes) {
            standings_.push_back({.node = node});
        }
        std::sort(standings_.begin(), standings_.end(), [](const Standing& a, const Standing& b) {
            return a.node < b.node;
        });
    }
    std::size_t position_of(NodeIndex node) const {
        const auto found = std::lower_bound(
            standings_.begin(),
            standings_.end(),
            node,
            [](const Standing& standing, NodeIndex key) { return standing.node < key; }
        );
        return found != standings_.end() && found->node == node
                   ? static_cast<std::size_t>(found - standings_.begin())
                   : kNone;
    }
    Standing& at(NodeIndex node) { return standings_[position_of(node)]; }

    void take_share(Standing& standing) const {
        const Share share = share_of(search_.state(), standing.node);
        standing.share = rank_of(share);
        standing.borrows = share.is_borrowing();
    }

    /// The contest that the node is part of; none: it is a root, or exhausted.
    Contest* contest_of(const Standing& standing) {
        const bool is_queue = tree_.node(standing.node).is_cluster_queue;
        if (standing.parent == kNone || (is_queue && !standing.has_candidates())) {
            return nullptr;
        }
        Standing& parent = standings_[standing.parent];
        return is_queue ? &parent.queues : &parent.cohorts;
    }
    Entry entry_of(const Standing& standing) const {
        return {
            .share = standing.share,
            .victim = standing.has_candidates() ? candidates_[standing.next] : nullptr,
            .position = static_cast<std::uint32_t>(&standing - standings_.data()),
            .changes = standing.changes,
        };
    }
    void enter_anew(Standing& standing) {
        ++standing.changes;
        if (Contest* contest = contest_of(standing)) {
            contest->push_back(entry_of(standing));
            std::push_heap(contest->begin(), contest->end(), GoesLater{this});
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

    /// The child with the highest share that borrows; the preemptor's own way needs not.
    std::size_t first_of(Contest& contest) {
        while (!contest.empty()) {
            Standing& first = standings_[contest.front().position];
            const bool counts = contest.front().changes == first.changes && !first.is_pruned;
            if (counts &&
                (first.borrows || first.node == preemptor_queue_ || is_ancestor(first.node))) {
                return contest.front().position;
            }
            first.is_pruned = first.is_pruned || counts;
            std::pop_heap(contest.begin(), contest.end(), GoesLater{this});
            contest.pop_back();
        }
        return kNone;
    }

    NodeIndex descend(std::size_t root) {
        for (std::size_t cohort = root;;) {
            Standing& standing = standings_[cohort];
            const std::size_t queue = first_of(standing.queues);
            const std::size_t child = first_of(standing.cohorts);
            if (queue == kNone && child == kNone) {
                standing.is_pruned = true;
                return {};
            }
            const bool is_queue_first =
                queue != kNone &&
                (child == kNone || standings_[child].share < standings_[queue].share);
            if (is_queue_first) {
                return standings_[queue].node;
            }
            cohort = child;
        }
    }

    PreemptionSearch& search_;
    QuotaTree& tree_;
    NodeIndex preemptor_queue_;
    std::vector<const Candidate*> candidates_;
    std::vector<Standing> standings_;             // by node
    std::vector<NodeIndex> preemptor_ancestors_;  // sorted
};

class FairSearch {
  public:
    FairSearch(PreemptionSearch& search, const Preemptor& preemptor)
        : search_(search), preemptor_(preemptor), tree_(search.tree()) {}

    std::vector<PreemptionTarget> run() {
        const auto candidates = collect();
        if (!candidates.empty()) {
            const auto mark = tree_.mark();
            const bool found = choose(candidates);
            tree_.rollback(mark);
            if (found) {
                return std::move(targets_);
            }
        }
        for (const auto& [queue, policy] : looked_at_) {
            search_.note_spared(
                search_.candidates_in(queue, preemptor_), search_.right_of(preemptor_, policy)
            );
        }
        return {};
    }

  private:
    bool choose(const std::vector<const Candidate*>& candidates) {
        tree_.assume_usage(preemptor_.cluster_queue, preemptor_.usage);
        bool fits = first_strategy(candidates);
        if (!fits && search_.state().options().fair_sharing_strategies.size() > 1) {
            fits = second_strategy();
        }
        if (fits) {
            tree_.assume_no_usage(preemptor_.cluster_queue, preemptor_.usage);
            search_.fill_back(preemptor_, targets_, true);
        }
        return fits;
    }

    /// Of each ClusterQueue the best victim first.
    std::vector<const Candidate*> collect() {
        const State& state = search_.state();
        const NodeIndex own = preemptor_.cluster_queue;
        const Preemption& policy = state.cluster_queue(own).spec.preemption;
        std::vector<const Candidate*> found;
        add_candidates(own, policy.within_cluster_queue, found);
        if (tree_.node(own).parent.is_valid() &&
            policy.reclaim_within_cohort != PreemptionPolicy::Never &&
            !(found.empty() && is_in_vain_elsewhere())) {
            for (const auto queue : tree_.above_quota(tree_.node(own).root, preemptor_.needed)) {
                if (queue != own) {
                    add_candidates(queue, policy.reclaim_within_cohort, found);
                }
            }
        }
        put_larger_users_first(state, found, [](const Candidate* victim) {
            return victim->workload;
        });
        return found;
    }

    void add_candidates(
        NodeIndex queue, PreemptionPolicy policy, std::vector<const Candidate*>& found
    ) {
        if (policy == PreemptionPolicy::Never) {
            return;
        }
        looked_at_.emplace_back(queue, policy);
        CandidateWalk walk(
            search_.candidates_in(queue, preemptor_), search_.right_of(preemptor_, policy)
        );
        for (; walk.current() != nullptr; walk.advance()) {
            found.push_back(walk.current());
        }
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

    bool take(TargetQueues& queues, const Candidate* victim, PreemptionReason reason) {
        search_.evict(victim->workload);
        queues.usage_changed(search_.state().workload(victim->workload).holding->cluster_queue);
        targets_.push_back({victim->workload, reason});
        return fits();
    }

    bool first_strategy(const std::vector<const Candidate*>& candidates) {
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
            const Candidate* candidate = queues.pop(queue);
            bool passed = false;
            if (!hopeless) {
                const auto mark = tree_.mark();
                search_.evict(candidate->workload);
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
        std::stable_sort(
            retry_.begin(),
            retry_.end(),
            [this](const Candidate* a, const Candidate* b) {
                const State& state = search_.state();
                return state.workload(a->workload).holding->cluster_queue <
                       state.workload(b->workload).holding->cluster_queue;
            }
        );
        TargetQueues queues(search_, preemptor_.cluster_queue, std::move(retry_));
        for (NodeIndex queue = queues.next(); queue.is_valid(); queue = queues.next()) {
            const auto [own_node, target_node] = queues.below_common_cohort(queue);
            const bool passed =
                compare(
                    share_of(search_.state(), own_node), share_of(search_.state(), target_node)
                ) < 0;
            const Candidate* candidate = queues.pop(queue);
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
    std::vector<const Candidate*> retry_;
    std::vector<std::pair<NodeIndex, PreemptionPolicy>> looked_at_;
};

}  // namespace

std::vector<PreemptionTarget> find_fair_targets(
    PreemptionSearch& search, const Preemptor& preemptor
) {
    return FairSearch(search, preemptor).run();
}

}  // namespace sluice::engine
