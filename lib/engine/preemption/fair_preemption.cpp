// Preemption under fair sharing: victims come from the ClusterQueue with the largest share, if a
// strategy accepts the resulting shares of that ClusterQueue and of the preemptor (KEP-1714).
#include "base/assert.hpp"
#include "engine/preemption/preemption.hpp"
#include "engine/preemption/target_queues.hpp"
#include "engine/preemption/victim_order.hpp"
#include "engine/state/fair_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

class FairSearch {
  public:
    FairSearch(PreemptionSearch& search, const PreemptionRequest& preemptor)
        : search_(search),
          preemptor_(preemptor),
          view_(search.view()),
          policy_(search.state().cluster_queue(preemptor.cluster_queue).spec.preemption) {}

    std::vector<PreemptionTarget> run() {
        if (try_to_choose()) {
            return std::move(targets_);
        }
        search_.record_spared(own_queue(), preemptor_, policy_.within_cluster_queue);
        if (looks_elsewhere_) {
            search_.record_spared_elsewhere(
                preemptor_, policy_.reclaim_within_cohort, [](NodeIndex) { return true; }
            );
        }
        return {};
    }

  private:
    NodeIndex own_queue() const { return preemptor_.cluster_queue; }
    const FlavorResources& needed() const { return preemptor_.needed; }

    CandidateWalk walk(NodeIndex queue, PreemptionPolicy policy) {
        return {search_.candidates_in(queue, preemptor_), search_.right_of(preemptor_, policy)};
    }

    bool try_to_choose() {
        const UsageView::Trial trial(view_);
        return choose();
    }

    bool choose() {
        std::optional<CandidateWalk> own;
        if (policy_.within_cluster_queue != PreemptionPolicy::Never) {
            own = walk(own_queue(), policy_.within_cluster_queue);
        }
        const bool has_own = own && own->current() != nullptr;
        looks_elsewhere_ = view_.node(own_queue()).parent.is_valid() &&
                           policy_.reclaim_within_cohort != PreemptionPolicy::Never &&
                           (has_own || !excludes_victims_elsewhere());
        finds_elsewhere_ = looks_elsewhere_ &&
                           search_.may_find_elsewhere(preemptor_, policy_.reclaim_within_cohort);
        if (!has_own && !finds_elsewhere_) {
            return false;
        }
        bool fits = first_strategy(own);
        if (!fits && search_.state().options().fair_sharing_strategies.size() > 1) {
            fits = second_strategy();
        }
        if (fits) {
            search_
                .fill_back(preemptor_, targets_, Borrowing::Allowed, [this](WorkloadIndex target) {
                    return !search_.state().options().gates.prevent_fair_sharing_loops ||
                           leaves_others_fair(target);
                });
            search_.note_level(preemptor_);
        }
        return fits;
    }

    bool first_strategy(const std::optional<CandidateWalk>& own) {
        if (search_.state().options().admission_fair_sharing) {
            auto candidates = reordered(own);
            view_.add(preemptor_.demand());
            TargetQueues queues(search_.context(), own_queue(), std::move(candidates));
            return first_strategy(queues);
        }
        const ShareComparisons* others =
            finds_elsewhere_ ? &search_.share_bounds(preemptor_).comparisons() : nullptr;
        view_.add(preemptor_.demand());
        TargetQueues queues(
            search_.context(),
            own_queue(),
            own,
            others,
            needed(),
            search_.right_of(preemptor_, policy_.reclaim_within_cohort)
        );
        return first_strategy(queues);
    }

    /// Returns all candidates in the order of admission fair sharing.
    std::vector<const Candidate*> reordered(const std::optional<CandidateWalk>& own) {
        std::vector<const Candidate*> found;
        const auto add = [&found](CandidateWalk from) {
            for (; from.current() != nullptr; from.advance()) {
                found.push_back(from.current());
            }
        };
        if (own) {
            add(*own);
        }
        if (finds_elsewhere_) {
            for (const auto queue : view_.above_quota(view_.node(own_queue()).root, needed())) {
                if (queue != own_queue()) {
                    add(walk(queue, policy_.reclaim_within_cohort));
                }
            }
        }
        put_larger_users_first(search_.state(), found, [](const Candidate* victim) {
            return victim->workload;
        });
        return found;
    }

    /// Returns true if no workload of another ClusterQueue can be taken. False is not certain.
    bool excludes_victims_elsewhere() const {
        // Workloads spared by priority are recorded only if this returns false, so the result must
        // not depend on earlier searches unless the policy is Any, which spares none.
        const bool spares_some = policy_.reclaim_within_cohort != PreemptionPolicy::Any;
        return !takes_back_its_own() &&
               search_.share_bounds(preemptor_).excludes_victims(preemptor_, spares_some);
    }

    /// Returns true if the strategies do not apply, because the preemptor stays within its own
    /// quota with all that it requests.
    bool takes_back_its_own() const {
        if (!search_.state().options().gates.fair_sharing_preempt_within_nominal) {
            return false;
        }
        const UsageView::Trial trial(view_);
        view_.add(preemptor_.demand());
        return search_.within_subtree_quota(preemptor_.cluster_queue, preemptor_.needed);
    }

    /// Returns true if the preemptor fits. The shares include its usage, which is removed for this
    /// check. If it fits, the search is over, and the usage stays removed.
    bool fits() {
        UsageView::Trial trial(view_);
        view_.remove(preemptor_.demand());
        const bool result = search_.fits(preemptor_, Borrowing::Allowed);
        if (result) {
            trial.keep();
        }
        return result;
    }

    bool take(TargetQueues& queues, const Candidate* victim, PreemptionReason reason) {
        search_.evict(victim->workload);
        return note_taken(queues, victim, reason);
    }

    bool note_taken(TargetQueues& queues, const Candidate* victim, PreemptionReason reason) {
        targets_.push_back({victim->workload, reason});
        if (fits()) {
            return true;
        }
        queues.usage_changed(search_.state().workload(victim->workload).holding->cluster_queue);
        return false;
    }

    bool first_strategy(TargetQueues& queues) {
        const bool within_nominal =
            search_.state().options().gates.fair_sharing_preempt_within_nominal &&
            search_.within_subtree_quota(own_queue(), needed());
        for (NodeIndex queue = queues.next(); queue.is_valid(); queue = queues.next()) {
            if (queue == own_queue()) {
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
        switch (first()) {
            case FairSharingStrategy::LessThanOrEqualToFinalShare:
                return compare(preemptor, target_after) <= 0;
            case FairSharingStrategy::LessThanInitialShare:
                return compare(preemptor, target_before) < 0;
        }
        return false;
    }

    bool take_by_strategy(TargetQueues& queues, NodeIndex queue) {
        const auto [own_node, target_node] = queues.below_common_cohort(queue);
        const Share own = share_of(search_.state(), view_, own_node);
        const Share before = share_of(search_.state(), view_, target_node);
        const bool hopeless = std::isinf(own.weighted()) && !std::isinf(before.weighted());
        while (const Candidate* candidate = queues.pop(queue)) {
            UsageView::Trial trial(view_);
            if (!hopeless) {
                search_.evict(candidate->workload);
                const Share after = share_of(search_.state(), view_, target_node);
                if (passes(own, before, after)) {
                    bounds_.push_back(
                        first() == FairSharingStrategy::LessThanInitialShare
                            ? ShareBound{candidate->workload, own_node, before, true}
                            : ShareBound{candidate->workload, own_node, after, false}
                    );
                    trial.keep();
                    return note_taken(queues, candidate, PreemptionReason::InCohortFairSharing);
                }
            }
            retry_.push_back(candidate);
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
        TargetQueues queues(search_.context(), own_queue(), std::move(retry_));
        for (NodeIndex queue = queues.next(); queue.is_valid(); queue = queues.next()) {
            const auto [own_node, target_node] = queues.below_common_cohort(queue);
            const Share before = share_of(search_.state(), view_, target_node);
            const Candidate* candidate = queues.pop(queue);
            if (compare(share_of(search_.state(), view_, own_node), before) < 0) {
                bounds_.push_back({candidate->workload, own_node, before, true});
                if (take(queues, candidate, PreemptionReason::InCohortFairSharing)) {
                    return true;
                }
            }
            queues.drop(queue);
        }
        return false;
    }

    /// Returns true if a target may stay back, which raises the shares of the nodes above it: the
    /// preemptor's share must still allow all victims that a strategy accepted. Without this check,
    /// a victim could be evicted by a right that the preemptor has only while workloads of its own
    /// queue are evicted. The victim would be admitted again before the preemptor and be evicted
    /// again, without end.
    bool leaves_others_fair(WorkloadIndex target) {
        const NodeIndex queue = search_.state().workload(target).holding->cluster_queue;
        const bool result = [&] {
            const UsageView::Trial trial(view_);
            view_.add(preemptor_.demand());
            return std::all_of(bounds_.begin(), bounds_.end(), [&](const ShareBound& bound) {
                if (bound.target == target) {
                    return true;  // its own right does not matter if it stays
                }
                if (!view_.is_order_relevant() && !is_at_or_below(queue, bound.own_node)) {
                    return true;  // the share has not risen
                }
                const int order =
                    compare(share_of(search_.state(), view_, bound.own_node), bound.share);
                return bound.is_below ? order < 0 : order <= 0;
            });
        }();
        if (result) {
            std::erase_if(bounds_, [target](const ShareBound& bound) {
                return bound.target == target;
            });
        }
        return result;
    }

    bool is_at_or_below(NodeIndex node, NodeIndex above) const {
        while (node.is_valid() && node != above) {
            node = view_.node(node).parent;
        }
        return node.is_valid();
    }

    FairSharingStrategy first() const {
        return search_.state().options().fair_sharing_strategies.front();
    }

    /// The condition under which a strategy accepts a victim: the preemptor's share at `own_node`
    /// is at most `share`, or below it if `is_below`.
    struct ShareBound {
        WorkloadIndex target;
        NodeIndex own_node;
        Share share;
        bool is_below = false;
    };

    PreemptionSearch& search_;
    const PreemptionRequest& preemptor_;
    UsageView& view_;
    const Preemption& policy_;
    bool looks_elsewhere_ = false;
    bool finds_elsewhere_ = false;  ///< true is not certain
    std::vector<PreemptionTarget> targets_;
    std::vector<const Candidate*> retry_;
    std::vector<ShareBound> bounds_;
};

}  // namespace

std::vector<PreemptionTarget> find_fair_targets(
    PreemptionSearch& search, const PreemptionRequest& preemptor
) {
    return FairSearch(search, preemptor).run();
}

}  // namespace sluice::engine
