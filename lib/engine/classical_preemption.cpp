// Preemption without fair sharing: spec 5.3 to 5.5.
#include "engine/preemption.hpp"
#include "engine/victim_order.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sluice::engine {
namespace {

enum class CandidateClass : std::uint8_t {
    Hierarchical,             ///< uses quota of a subtree that the preemptor stays within
    ReclaimWithoutBorrowing,  ///< may go only if the preemptor does not borrow
    ReclaimWhileBorrowing,    ///< may go even if it does (borrowWithinCohort)
    WithinClusterQueue,
};

struct Candidate {
    WorkloadIndex workload;
    NodeIndex lowest_common_cohort;
    CandidateClass of = CandidateClass::WithinClusterQueue;
    bool evicted = false;
};

/// Candidates in an order of which only as much is worked out as is asked for: mostly a few of very
/// many are needed.
template <class Before>
class LazilySorted {
  public:
    LazilySorted(const State& state, Before before) : state_(state), before_(before) {}

    void add(const Candidate& candidate) { rest_.push_back(candidate); }
    std::size_t size() const { return sorted_.size() + rest_.size(); }
    /// The candidate at that place of the order. Requires: all were added.
    const Candidate& at(std::size_t position) {
        const auto later = [this](const Candidate& a, const Candidate& b) { return before_(b, a); };
        if (sorted_.empty() && state_.options().admission_fair_sharing) {
            sorted_ = std::exchange(rest_, {});
            std::sort(sorted_.begin(), sorted_.end(), before_);
            put_larger_users_first(state_, sorted_, [](const Candidate& c) { return c.workload; });
        }
        if (sorted_.empty()) {
            std::make_heap(rest_.begin(), rest_.end(), later);
        }
        while (sorted_.size() <= position) {
            std::pop_heap(rest_.begin(), rest_.end(), later);
            sorted_.push_back(rest_.back());
            rest_.pop_back();
        }
        return sorted_[position];
    }

  private:
    const State& state_;
    Before before_;
    std::vector<Candidate> sorted_;
    std::vector<Candidate> rest_;  // a heap, the next one first
};

PreemptionReason reason_of(CandidateClass of) {
    switch (of) {
        case CandidateClass::Hierarchical:
        case CandidateClass::ReclaimWithoutBorrowing:
            return PreemptionReason::InCohortReclamation;
        case CandidateClass::ReclaimWhileBorrowing:
            return PreemptionReason::InCohortReclaimWhileBorrowing;
        case CandidateClass::WithinClusterQueue:
            return PreemptionReason::InClusterQueue;
    }
    return PreemptionReason::InClusterQueue;
}

class ClassicalSearch {
  public:
    ClassicalSearch(PreemptionSearch& search, const Preemptor& preemptor)
        : search_(search),
          preemptor_(preemptor),
          tree_(search.tree()),
          policy_(search.state().cluster_queue(preemptor.cluster_queue).spec.preemption),
          candidates_(search.state(), Before{search, preemptor.cluster_queue}) {}

    std::vector<PreemptionTarget> run() {
        collect();
        for (const bool borrowing : attempts()) {
            auto targets = attempt(borrowing);
            if (!targets.empty()) {
                return targets;
            }
        }
        return {};
    }

  private:
    /// Evicted ones first; in each half those that use quota of a subtree that the preemptor stays
    /// within, the others of the cohort, its own queue's; inside each the order of spec 5.2.
    struct Before {
        const PreemptionSearch& search;
        NodeIndex preemptor_queue;

        static int rank(CandidateClass of) {
            switch (of) {
                case CandidateClass::Hierarchical:
                    return 0;
                case CandidateClass::ReclaimWithoutBorrowing:
                case CandidateClass::ReclaimWhileBorrowing:
                    return 1;
                case CandidateClass::WithinClusterQueue:
                    return 2;
            }
            return 2;
        }
        bool operator()(const Candidate& a, const Candidate& b) const {
            if (a.evicted != b.evicted) {
                return a.evicted;
            }
            if (rank(a.of) != rank(b.of)) {
                return rank(a.of) < rank(b.of);
            }
            return search.is_better_victim(a.workload, b.workload, preemptor_queue);
        }
    };

    void add(WorkloadIndex workload, NodeIndex lowest_common_cohort, CandidateClass of) {
        if (of == CandidateClass::ReclaimWithoutBorrowing && !counts_without_borrowing_) {
            return;
        }
        const bool evicted = search_.state().workload(workload).holding->evicted;
        candidates_.add({workload, lowest_common_cohort, of, evicted});
        has_hierarchical_ = has_hierarchical_ || of == CandidateClass::Hierarchical;
        has_foreign_ = has_foreign_ || of != CandidateClass::WithinClusterQueue;
    }

    /// Whether `rest` fits into the node's own quota; what the node cannot give locally stays in
    /// `rest`.
    bool fits_in_quota(NodeIndex node, Usages& rest) const {
        bool fits = true;
        for (auto& usage : rest) {
            const QuotaCell& cell = tree_.cell(node, usage.flavor_resource);
            fits = fits && cell.subtree >= cell.usage + usage.amount;
            usage.amount = max(Amount(), usage.amount - cell.local_available());
        }
        return fits;
    }

    CandidateClass class_of(WorkloadIndex candidate, bool advantage) const {
        if (advantage) {
            return CandidateClass::Hierarchical;
        }
        const auto priority = search_.state().workload(candidate).priority;
        if (!policy_.borrow_within_cohort ||
            priority >= search_.state().workload(preemptor_.workload).priority ||
            (policy_.max_priority_threshold && priority > *policy_.max_priority_threshold)) {
            return CandidateClass::ReclaimWithoutBorrowing;
        }
        return CandidateClass::ReclaimWhileBorrowing;
    }

    /// An ancestor of the preemptor's ClusterQueue, and whether the preemptor fits into the quota
    /// of a subtree below it.
    struct Ancestor {
        NodeIndex cohort;
        bool advantage = false;
    };

    /// From the parent up to the root.
    std::vector<Ancestor> ancestors() const {
        std::vector<Ancestor> found;
        const NodeIndex own = preemptor_.cluster_queue;
        Usages rest = preemptor_.usage;
        bool advantage = fits_in_quota(own, rest);
        for (NodeIndex at = tree_.node(own).parent; at.is_valid(); at = tree_.node(at).parent) {
            found.push_back({.cohort = at, .advantage = advantage});
            const bool fits = fits_in_quota(at, rest);
            advantage = advantage || fits;
        }
        return found;
    }

    /// The lowest cohort that the ClusterQueue has in common with the preemptor; none when a
    /// subtree on the way there stays within its quota and so gives nothing.
    const Ancestor* meeting_point(NodeIndex queue, const std::vector<Ancestor>& ancestors) const {
        const auto top = static_cast<std::int32_t>(ancestors.size()) - 1;
        NodeIndex at = queue;
        while (true) {
            if (search_.within_subtree_quota(at, preemptor_.needed)) {
                return nullptr;
            }
            at = tree_.node(at).parent;
            const auto depth = tree_.node(at).depth;
            if (depth <= top) {
                const Ancestor& met = ancestors[static_cast<std::size_t>(top - depth)];
                if (met.cohort == at) {
                    return &met;
                }
            }
        }
    }

    void collect() {
        const NodeIndex own = preemptor_.cluster_queue;
        for (const auto index :
             search_.candidates_in(own, policy_.within_cluster_queue, preemptor_)) {
            add(index, NodeIndex{}, CandidateClass::WithinClusterQueue);
        }
        if (policy_.reclaim_within_cohort == PreemptionPolicy::Never) {
            return;
        }
        counts_without_borrowing_ = may_go_without_borrowing();
        const auto above = ancestors();
        if (!counts_without_borrowing_ && !policy_.borrow_within_cohort &&
            std::ranges::none_of(above, &Ancestor::advantage)) {
            return;
        }
        for (const auto queue : tree_.above_quota(tree_.node(own).root, preemptor_.needed)) {
            const Ancestor* met = queue == own ? nullptr : meeting_point(queue, above);
            if (met == nullptr) {
                continue;
            }
            for (const auto index :
                 search_.candidates_in(queue, policy_.reclaim_within_cohort, preemptor_)) {
                add(index, met->cohort, class_of(index, met->advantage));
            }
        }
    }

    /// Whether an attempt without borrowing is made and could succeed, or who takes part in it
    /// matters otherwise. Evictions elsewhere change nothing about what the preemptor's own
    /// ClusterQueue uses.
    bool may_go_without_borrowing() const {
        if (search_.state().options().admission_fair_sharing) {
            return true;  // where the others stand depends on them: see put_larger_users_first()
        }
        if (!policy_.borrow_within_cohort && !strictly_under_nominal()) {
            return false;  // see attempts()
        }
        return candidates_.size() > 0 ||
               std::ranges::none_of(preemptor_.usage, [this](const Usage& usage) {
                   return tree_.is_borrowing_with(
                       preemptor_.cluster_queue, usage.flavor_resource, usage.amount
                   );
               });
    }

    bool strictly_under_nominal() const {
        return std::all_of(preemptor_.needed.begin(), preemptor_.needed.end(), [this](auto needed) {
            const QuotaCell& cell = tree_.cell(preemptor_.cluster_queue, needed);
            return cell.usage < cell.nominal;
        });
    }

    /// With borrowing or without, in the order tried (spec 5.4).
    std::vector<bool> attempts() const {
        if (!has_foreign_) {
            return {true};
        }
        if (!policy_.borrow_within_cohort) {
            if (!strictly_under_nominal()) {
                return {true};
            }
            if (!has_hierarchical_) {
                return {false, true};
            }
        }
        return {true, false};
    }

    bool still_counts(const Candidate& candidate, bool borrowing) const {
        if (candidate.of == CandidateClass::WithinClusterQueue) {
            return true;
        }
        if (borrowing && candidate.of == CandidateClass::ReclaimWithoutBorrowing) {
            return false;
        }
        // An earlier eviction may have brought the victim's subtree back within its quota.
        NodeIndex at = search_.state().workload(candidate.workload).holding->cluster_queue;
        for (; at != candidate.lowest_common_cohort; at = tree_.node(at).parent) {
            if (search_.within_subtree_quota(at, preemptor_.needed)) {
                return false;
            }
        }
        return true;
    }

    std::vector<PreemptionTarget> attempt(bool borrowing) {
        std::vector<PreemptionTarget> targets;
        const auto mark = tree_.mark();
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            const Candidate& candidate = candidates_.at(i);
            if (!still_counts(candidate, borrowing)) {
                continue;
            }
            search_.evict(candidate.workload);
            targets.push_back({candidate.workload, reason_of(candidate.of)});
            if (search_.fits(preemptor_, borrowing)) {
                search_.fill_back(preemptor_, targets, borrowing);
                tree_.rollback(mark);
                return targets;
            }
        }
        tree_.rollback(mark);
        return {};
    }

    PreemptionSearch& search_;
    const Preemptor& preemptor_;
    QuotaTree& tree_;
    const Preemption& policy_;
    LazilySorted<Before> candidates_;
    bool has_hierarchical_ = false;
    bool has_foreign_ = false;
    bool counts_without_borrowing_ = false;  ///< see may_go_without_borrowing()
};

}  // namespace

std::vector<PreemptionTarget> find_classical_targets(
    PreemptionSearch& search, const Preemptor& preemptor
) {
    return ClassicalSearch(search, preemptor).run();
}

}  // namespace sluice::engine
