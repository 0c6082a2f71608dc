#include "engine/reference_preemption.hpp"

#include <algorithm>
#include <map>

namespace sluice::reference {

using engine::PreemptionPolicy;
using engine::PreemptionReason;

bool goes_first(const Snapshot& snapshot, int a, int b, int cluster_queue, Time now) {
    const Holder& x = snapshot.holder(a);
    const Holder& y = snapshot.holder(b);
    if (x.evicted != y.evicted) {
        return x.evicted;
    }
    const bool x_own = x.cluster_queue == cluster_queue;
    const bool y_own = y.cluster_queue == cluster_queue;
    if (x_own != y_own) {
        return y_own;
    }
    if (x.priority != y.priority) {
        return x.priority < y.priority;
    }
    const Time x_since = x.reserved_at.value_or(now);
    const Time y_since = y.reserved_at.value_or(now);
    if (x_since != y_since) {
        return x_since > y_since;
    }
    return x.uid != y.uid ? x.uid < y.uid : x.key < y.key;
}

namespace {

std::string name_of_local_queue(const Holder& holder) {
    return holder.local_queue.substr(holder.local_queue.find('/') + 1);
}

/// Whether `a` goes before `b`, which stood before it, for the usage of their LocalQueues, whose
/// names are compared without namespaces as upstream does.
bool passes(const Holder& a, const Holder& b) {
    return a.fair_usage && b.fair_usage && name_of_local_queue(a) != name_of_local_queue(b) &&
           *a.fair_usage > *b.fair_usage;
}

/// Sorted by halves. Where comparisons go in a circle any order would do, so it is the engine's.
std::vector<int> by_usage(const Snapshot& snapshot, const std::vector<int>& holders) {
    if (holders.size() < 2) {
        return holders;
    }
    const auto middle = holders.begin() + std::ptrdiff_t(holders.size() / 2);
    const std::vector<int> left = by_usage(snapshot, {holders.begin(), middle});
    const std::vector<int> right = by_usage(snapshot, {middle, holders.end()});
    std::vector<int> sorted;
    std::size_t l = 0;
    std::size_t r = 0;
    while (sorted.size() < holders.size()) {
        const bool from_right =
            l == left.size() ||
            (r < right.size() && passes(snapshot.holder(right[r]), snapshot.holder(left[l])));
        sorted.push_back(from_right ? right[r++] : left[l++]);
    }
    return sorted;
}

}  // namespace

std::vector<int> in_order(const Snapshot& snapshot, std::vector<int> holders, int queue, Time now) {
    std::sort(holders.begin(), holders.end(), [&](int a, int b) {
        return goes_first(snapshot, a, b, queue, now);
    });
    // Those of one ClusterQueue, evicted ones apart, change places among each other alone.
    std::map<std::pair<int, bool>, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < holders.size(); ++i) {
        const Holder& holder = snapshot.holder(holders[i]);
        groups[{holder.cluster_queue, holder.evicted}].push_back(i);
    }
    for (const auto& [group, places] : groups) {
        std::vector<int> own;
        for (const std::size_t place : places) {
            own.push_back(holders[place]);
        }
        own = by_usage(snapshot, own);
        for (std::size_t i = 0; i < places.size(); ++i) {
            holders[places[i]] = own[i];
        }
    }
    return holders;
}

bool satisfies(
    PreemptionPolicy policy, const engine::Workload& preemptor, const Holder& candidate
) {
    switch (policy) {
        case PreemptionPolicy::Never:
            return false;
        case PreemptionPolicy::LowerPriority:
            return preemptor.priority > candidate.priority;
        case PreemptionPolicy::LowerOrNewerEqualPriority:
            return preemptor.priority > candidate.priority ||
                   (preemptor.priority == candidate.priority &&
                    preemptor.queue_order < candidate.queue_order);
        case PreemptionPolicy::Any:
            return true;
    }
    return false;
}

bool uses_any(const Holder& holder, const std::set<int>& pairs) {
    return std::any_of(holder.usage.begin(), holder.usage.end(), [&](const auto& entry) {
        return pairs.contains(entry.first);
    });
}

bool fits(const Snapshot& snapshot, const PreemptionRequest& request, bool borrowing) {
    for (const auto& [pair, value] : request.usage) {
        if (!borrowing && snapshot.borrowing_with(request.cluster_queue, pair, value)) {
            return false;
        }
        if (value > snapshot.available(request.cluster_queue, pair)) {
            return false;
        }
    }
    return true;
}

std::vector<Target> fill_back(
    Snapshot& snapshot,
    const PreemptionRequest& request,
    std::vector<Target> targets,
    bool borrowing,
    const std::function<bool(const std::vector<Target>& others)>& is_unfair
) {
    for (int i = int(targets.size()) - 2; i >= 0; --i) {
        snapshot.add_holder(targets[std::size_t(i)].holder);
        std::vector<Target> others = targets;
        others[std::size_t(i)] = others.back();
        others.pop_back();
        if (fits(snapshot, request, borrowing) && !(is_unfair && is_unfair(others))) {
            targets = std::move(others);
        } else {
            // As upstream, and not by putting back: after amounts that were cut off the two differ.
            snapshot.remove_holder(targets[std::size_t(i)].holder);
        }
    }
    return targets;
}

std::vector<Target> find_targets(
    Snapshot& snapshot, const Rules& rules, const PreemptionRequest& request
) {
    const auto saved = snapshot.usage;
    std::vector<Target> targets = rules.options->fair_sharing
                                      ? find_fair_targets(snapshot, rules, request)
                                      : find_classical_targets(snapshot, rules, request);
    snapshot.usage = saved;
    return targets;
}

namespace {

struct Candidate {
    int holder = -1;
    int common = -1;  // lowest common cohort with the preemptor; none: own ClusterQueue
    bool hierarchical = false;
    bool only_without_borrowing = false;
    PreemptionReason reason = PreemptionReason::InClusterQueue;
};

class ClassicalSearch {
  public:
    ClassicalSearch(Snapshot& snapshot, const Rules& rules, const PreemptionRequest& request)
        : snapshot_(snapshot),
          rules_(rules),
          request_(request),
          policy_(snapshot.at(request.cluster_queue).cluster_queue->preemption) {}

    std::vector<Target> run();

  private:
    void collect();
    void collect_below(int cohort, int common, int visited, bool advantage);
    void collect_from(int queue, int common, bool advantage);
    void order();
    std::vector<bool> attempts() const;
    bool is_valid(const Candidate& candidate, bool borrowing) const;
    std::vector<Target> attempt(bool borrowing);

    Snapshot& snapshot_;
    const Rules& rules_;
    const PreemptionRequest& request_;
    const engine::Preemption& policy_;
    std::vector<Candidate> candidates_;
};

void ClassicalSearch::collect_from(int queue, int common, bool advantage) {
    const bool own = queue == request_.cluster_queue;
    const PreemptionPolicy policy =
        own ? policy_.within_cluster_queue : policy_.reclaim_within_cohort;
    for (const int index : snapshot_.at(queue).holders) {
        const Holder& holder = snapshot_.holder(index);
        if (!uses_any(holder, request_.needed) || !satisfies(policy, *request_.workload, holder)) {
            continue;
        }
        Candidate candidate{.holder = index, .common = common};
        if (!own && advantage) {
            candidate.hierarchical = true;
            candidate.reason = PreemptionReason::InCohortReclamation;
        } else if (!own) {
            const bool above_threshold =
                policy_.max_priority_threshold && holder.priority > *policy_.max_priority_threshold;
            candidate.only_without_borrowing = !policy_.borrow_within_cohort ||
                                               holder.priority >= request_.workload->priority ||
                                               above_threshold;
            candidate.reason = candidate.only_without_borrowing
                                   ? PreemptionReason::InCohortReclamation
                                   : PreemptionReason::InCohortReclaimWhileBorrowing;
        }
        candidates_.push_back(candidate);
    }
}

void ClassicalSearch::collect_below(int cohort, int common, int visited, bool advantage) {
    for (const int child : snapshot_.at(cohort).child_cohorts) {
        if (child != visited && !snapshot_.is_within_quota(child, request_.needed)) {
            collect_below(child, common, visited, advantage);
        }
    }
    for (const int child : snapshot_.at(cohort).child_cluster_queues) {
        if (child != request_.cluster_queue && snapshot_.at(child).active &&
            !snapshot_.is_within_quota(child, request_.needed)) {
            collect_from(child, common, advantage);
        }
    }
}

void ClassicalSearch::collect() {
    collect_from(request_.cluster_queue, -1, false);
    if (policy_.reclaim_within_cohort == PreemptionPolicy::Never) {
        return;
    }
    Quantities remaining = request_.usage;
    const auto fits_in_quota = [&](int node) {
        bool all = true;
        for (auto& [pair, value] : remaining) {
            all = all && !snapshot_.borrowing_with(node, pair, value);
            value = max(Amount(), value - snapshot_.local_available(node, pair));
        }
        return all;
    };
    bool advantage = fits_in_quota(request_.cluster_queue);
    int visited = -1;
    for (const int ancestor : snapshot_.ancestors(request_.cluster_queue)) {
        collect_below(ancestor, ancestor, visited, advantage);
        const bool fit = fits_in_quota(ancestor);
        advantage = advantage || fit;
        visited = ancestor;
    }
}

void ClassicalSearch::order() {
    const auto rank = [&](const Candidate& candidate) {
        const int kind = candidate.hierarchical ? 0 : (candidate.common >= 0 ? 1 : 2);
        return (snapshot_.holder(candidate.holder).evicted ? 0 : 3) + kind;
    };
    std::vector<int> holders;
    for (const Candidate& candidate : candidates_) {
        holders.push_back(candidate.holder);
    }
    holders = in_order(snapshot_, holders, request_.cluster_queue, rules_.now);
    std::vector<Candidate> sorted;
    for (int wanted = 0; wanted < 6; ++wanted) {
        for (const int holder : holders) {
            for (const Candidate& candidate : candidates_) {
                if (candidate.holder == holder && rank(candidate) == wanted) {
                    sorted.push_back(candidate);
                }
            }
        }
    }
    candidates_ = std::move(sorted);
}

std::vector<bool> ClassicalSearch::attempts() const {
    bool from_others = false;
    bool hierarchical = false;
    for (const Candidate& candidate : candidates_) {
        from_others = from_others || candidate.common >= 0;
        hierarchical = hierarchical || candidate.hierarchical;
    }
    const bool under_nominal =
        std::all_of(request_.needed.begin(), request_.needed.end(), [&](int pair) {
            return snapshot_.used(request_.cluster_queue, pair) <
                   snapshot_.limits(request_.cluster_queue, pair).nominal;
        });
    const bool forbidden = !policy_.borrow_within_cohort;
    if (!from_others || (forbidden && !under_nominal)) {
        return {true};
    }
    if (forbidden && !hierarchical) {
        return {false, true};
    }
    return {true, false};
}

bool ClassicalSearch::is_valid(const Candidate& candidate, bool borrowing) const {
    if (candidate.common < 0) {
        return true;
    }
    if (borrowing && candidate.only_without_borrowing) {
        return false;
    }
    int node = snapshot_.holder(candidate.holder).cluster_queue;
    for (; node != candidate.common; node = snapshot_.at(node).parent) {
        if (snapshot_.is_within_quota(node, request_.needed)) {
            return false;
        }
    }
    return true;
}

std::vector<Target> ClassicalSearch::attempt(bool borrowing) {
    const auto saved = snapshot_.usage;
    std::vector<Target> targets;
    for (const Candidate& candidate : candidates_) {
        if (!is_valid(candidate, borrowing)) {
            continue;
        }
        snapshot_.remove_holder(candidate.holder);
        targets.push_back({candidate.holder, candidate.reason});
        if (fits(snapshot_, request_, borrowing)) {
            return fill_back(snapshot_, request_, targets, borrowing);
        }
    }
    snapshot_.usage = saved;
    return {};
}

std::vector<Target> ClassicalSearch::run() {
    collect();
    order();
    for (const bool borrowing : attempts()) {
        std::vector<Target> targets = attempt(borrowing);
        if (!targets.empty()) {
            return targets;
        }
    }
    return {};
}

}  // namespace

std::vector<Target> find_classical_targets(
    Snapshot& snapshot, const Rules& rules, const PreemptionRequest& request
) {
    return ClassicalSearch(snapshot, rules, request).run();
}

}  // namespace sluice::reference
