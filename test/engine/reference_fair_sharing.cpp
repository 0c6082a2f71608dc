#include "engine/reference_preemption.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace sluice::reference {

using engine::FairSharingStrategy;
using engine::PreemptionPolicy;
using engine::PreemptionReason;

namespace {

Share below_all() {
    return {.weight = 1.0, .ratio = -1, .resource = {}, .borrowed = {}};
}

bool is_infinite(const Share& share) {
    return share.weight == 0 && share.ratio != 0;
}

bool passes(
    FairSharingStrategy strategy, const Share& preemptor, const Share& before, const Share& after
) {
    switch (strategy) {
        case FairSharingStrategy::LessThanOrEqualToFinalShare:
            return compare(preemptor, after) <= 0;
        case FairSharingStrategy::LessThanInitialShare:
            return compare(preemptor, before) < 0;
    }
    return false;
}

/// Yields the ClusterQueue to take the next candidate from: down from the root into the child with
/// the highest share; of several such children into the one with the best victim.
class TargetQueues {
  public:
    TargetQueues(
        const Snapshot& snapshot, int preemptor, const std::vector<int>& candidates, Time now
    )
        : snapshot_(snapshot), preemptor_(preemptor), now_(now) {
        for (const int candidate : candidates) {
            waiting_[snapshot.holder(candidate).cluster_queue].push_back(candidate);
        }
    }

    /// The next ClusterQueue, or -1 when none is left.
    int next() {
        if (!snapshot_.has_parent(preemptor_)) {
            const bool left = !pruned_.contains(preemptor_) && has_candidates(preemptor_);
            return left ? preemptor_ : -1;
        }
        const int root = snapshot_.root(preemptor_);
        while (!pruned_.contains(root)) {
            const int found = descend(root);
            if (found >= 0) {
                return found;
            }
        }
        return -1;
    }

    bool has_candidates(int queue) const {
        const auto found = waiting_.find(queue);
        return found != waiting_.end() && !found->second.empty();
    }
    int pop(int queue) {
        std::vector<int>& list = waiting_[queue];
        const int first = list.front();
        list.erase(list.begin());
        return first;
    }
    void drop(int queue) { pruned_.insert(queue); }

  private:
    int descend(int cohort);
    int highest_queue(int cohort, Share& highest);
    std::vector<int> highest_cohorts(int cohort, Share& highest);
    bool leads_to_preemptor(int cohort) const {
        const std::vector<int> path = snapshot_.ancestors(preemptor_);
        return std::find(path.begin(), path.end(), cohort) != path.end();
    }

    const Snapshot& snapshot_;
    int preemptor_;
    Time now_;
    std::map<int, std::vector<int>> waiting_;
    std::set<int> pruned_;
};

int TargetQueues::highest_queue(int cohort, Share& highest) {
    int best = -1;
    for (const int queue : snapshot_.at(cohort).child_cluster_queues) {
        if (!snapshot_.at(queue).active || pruned_.contains(queue)) {
            continue;
        }
        const Share share = snapshot_.share(queue);
        if ((!share.is_borrowing() && queue != preemptor_) || !has_candidates(queue)) {
            pruned_.insert(queue);
            continue;
        }
        const int order = compare(share, highest);
        const bool wins_tie =
            order == 0 && best >= 0 &&
            goes_first(
                snapshot_, waiting_[queue].front(), waiting_[best].front(), preemptor_, now_
            );
        if (order > 0 || wins_tie) {
            best = queue;
            highest = share;
        }
    }
    return best;
}

std::vector<int> TargetQueues::highest_cohorts(int cohort, Share& highest) {
    std::vector<int> best;
    for (const int child : snapshot_.at(cohort).child_cohorts) {
        if (pruned_.contains(child)) {
            continue;
        }
        const Share share = snapshot_.share(child);
        if (!share.is_borrowing() && !leads_to_preemptor(child)) {
            pruned_.insert(child);
            continue;
        }
        const int order = compare(share, highest);
        if (order > 0) {
            best.clear();
            highest = share;
        }
        if (order >= 0) {
            best.push_back(child);
        }
    }
    return best;
}

int TargetQueues::descend(int cohort) {
    Share queue_share = below_all();
    Share cohort_share = below_all();
    const int queue = highest_queue(cohort, queue_share);
    const std::vector<int> children = highest_cohorts(cohort, cohort_share);
    if (queue < 0 && children.empty()) {
        pruned_.insert(cohort);
        return -1;
    }
    if (compare(cohort_share, queue_share) < 0) {
        return queue;
    }
    int best = -1;
    for (const int child : children) {
        const int found = descend(child);
        const bool is_better =
            found >= 0 &&
            (best < 0 ||
             goes_first(
                 snapshot_, waiting_[found].front(), waiting_[best].front(), preemptor_, now_
             ));
        best = is_better ? found : best;
    }
    return best;
}

class FairSearch {
  public:
    FairSearch(Snapshot& snapshot, const Rules& rules, const PreemptionRequest& request)
        : snapshot_(snapshot), rules_(rules), request_(request) {}

    std::vector<Target> run();

  private:
    std::vector<int> candidates() const;
    bool first_pass(const std::vector<int>& candidates);
    bool second_pass();
    /// Takes victims of one ClusterQueue by the strategy; true: the preemptor fits.
    bool take_by_strategy(TargetQueues& queues, int queue);
    bool take(int holder, PreemptionReason reason);
    /// Children of the lowest common cohort on the paths to the preemptor and to the queue.
    std::pair<int, int> below_common(int queue) const;

    Snapshot& snapshot_;
    const Rules& rules_;
    const PreemptionRequest& request_;
    /// Whether the preemptor, with its usage, has too large a share for one of the victims.
    bool is_unfair(const std::vector<Target>& victims);

    std::vector<Target> targets_;
    std::vector<int> retry_;
    /// Of each victim of a strategy: the share that the preemptor's must not be above, or, with the
    /// second strategy, must be below.
    std::map<int, std::pair<FairSharingStrategy, Share>> rights_;
};

std::vector<int> FairSearch::candidates() const {
    const int own = request_.cluster_queue;
    const engine::Preemption& policy = snapshot_.at(own).cluster_queue->preemption;
    std::vector<int> queues = {own};
    if (snapshot_.has_parent(own)) {
        queues = snapshot_.cluster_queues_below(snapshot_.root(own));
    }
    std::vector<int> result;
    for (const int queue : queues) {
        if (queue != own && snapshot_.is_within_quota(queue, request_.needed)) {
            continue;
        }
        for (const int index : snapshot_.at(queue).holders) {
            const Holder& holder = snapshot_.holder(index);
            const PreemptionPolicy rule =
                queue == own ? policy.within_cluster_queue : policy.reclaim_within_cohort;
            if (satisfies(rule, *request_.workload, holder) && uses_any(holder, request_.needed)) {
                result.push_back(index);
            }
        }
    }
    return in_order(snapshot_, result, own, rules_.now);
}

bool FairSearch::take(int holder, PreemptionReason reason) {
    snapshot_.remove_holder(holder);
    targets_.push_back({holder, reason});
    const auto saved = snapshot_.usage;
    snapshot_.remove(request_.cluster_queue, request_.usage);
    const bool fit = fits(snapshot_, request_, true);
    snapshot_.usage = saved;
    return fit;
}

std::pair<int, int> FairSearch::below_common(int queue) const {
    std::vector<int> own = snapshot_.ancestors(request_.cluster_queue);
    int common = -1;
    int other_below = queue;
    for (const int ancestor : snapshot_.ancestors(queue)) {
        if (std::find(own.begin(), own.end(), ancestor) != own.end()) {
            common = ancestor;
            break;
        }
        other_below = ancestor;
    }
    int own_below = request_.cluster_queue;
    for (const int ancestor : own) {
        if (ancestor == common) {
            break;
        }
        own_below = ancestor;
    }
    return {own_below, other_below};
}

bool FairSearch::take_by_strategy(TargetQueues& queues, int queue) {
    const auto [own_node, other_node] = below_common(queue);
    const Share own = snapshot_.share(own_node);
    const Share before = snapshot_.share(other_node);
    const bool hopeless = is_infinite(own) && !is_infinite(before);
    while (queues.has_candidates(queue)) {
        const int candidate = queues.pop(queue);
        const auto saved = snapshot_.usage;
        snapshot_.remove_holder(candidate);
        const Share after = snapshot_.share(other_node);
        snapshot_.usage = saved;
        const FairSharingStrategy strategy = rules_.options->fair_sharing_strategies.front();
        if (!hopeless && passes(strategy, own, before, after)) {
            const bool is_final = strategy == FairSharingStrategy::LessThanOrEqualToFinalShare;
            rights_[candidate] = {strategy, is_final ? after : before};
            return take(candidate, PreemptionReason::InCohortFairSharing);
        }
        retry_.push_back(candidate);
    }
    return false;
}

bool FairSearch::first_pass(const std::vector<int>& candidates) {
    TargetQueues queues(snapshot_, request_.cluster_queue, candidates, rules_.now);
    const bool within_nominal = rules_.options->gates.fair_sharing_preempt_within_nominal &&
                                snapshot_.is_within_quota(request_.cluster_queue, request_.needed);
    for (int queue = queues.next(); queue >= 0; queue = queues.next()) {
        bool fit = false;
        if (queue == request_.cluster_queue) {
            fit = take(queues.pop(queue), PreemptionReason::InClusterQueue);
        } else if (within_nominal) {
            fit = take(queues.pop(queue), PreemptionReason::InCohortReclamation);
        } else {
            fit = take_by_strategy(queues, queue);
        }
        if (fit) {
            return true;
        }
    }
    return false;
}

bool FairSearch::second_pass() {
    TargetQueues queues(snapshot_, request_.cluster_queue, retry_, rules_.now);
    for (int queue = queues.next(); queue >= 0; queue = queues.next()) {
        const auto [own_node, other_node] = below_common(queue);
        const Share before = snapshot_.share(other_node);
        const bool passed = compare(snapshot_.share(own_node), before) < 0;
        const int candidate = queues.pop(queue);
        rights_[candidate] = {FairSharingStrategy::LessThanInitialShare, before};
        if (passed && take(candidate, PreemptionReason::InCohortFairSharing)) {
            return true;
        }
        queues.drop(queue);
    }
    return false;
}

bool FairSearch::is_unfair(const std::vector<Target>& victims) {
    const auto saved = snapshot_.usage;
    snapshot_.add(request_.cluster_queue, request_.usage);
    const bool result = std::any_of(victims.begin(), victims.end(), [this](const Target& victim) {
        if (victim.reason != PreemptionReason::InCohortFairSharing) {
            return false;
        }
        const int queue = snapshot_.holder(victim.holder).cluster_queue;
        const auto& [strategy, bound] = rights_.at(victim.holder);
        const Share own = snapshot_.share(below_common(queue).first);
        return !passes(strategy, own, bound, bound);
    });
    snapshot_.usage = saved;
    return result;
}

std::vector<Target> FairSearch::run() {
    const std::vector<int> all = candidates();
    if (all.empty()) {
        return {};
    }
    snapshot_.add(request_.cluster_queue, request_.usage);
    bool fit = first_pass(all);
    if (!fit && rules_.options->fair_sharing_strategies.size() > 1) {
        fit = second_pass();
    }
    if (!fit) {
        return {};
    }
    snapshot_.remove(request_.cluster_queue, request_.usage);
    return fill_back(
        snapshot_,
        request_,
        targets_,
        true,
        [this](const std::vector<Target>& others) {
            return rules_.options->gates.prevent_fair_sharing_loops && is_unfair(others);
        }
    );
}

}  // namespace

std::vector<Target> find_fair_targets(
    Snapshot& snapshot, const Rules& rules, const PreemptionRequest& request
) {
    return FairSearch(snapshot, rules, request).run();
}

}  // namespace sluice::reference
