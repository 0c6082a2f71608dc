// Preemption without fair sharing: spec 5.3 to 5.5.
#include "engine/preemption.hpp"

#include <algorithm>
#include <array>
#include <iterator>
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
          policy_(search.state().cluster_queue(preemptor.cluster_queue).spec.preemption) {}

    std::vector<PreemptionTarget> run() {
        collect();
        const auto candidates = in_order();
        for (const bool borrowing : attempts()) {
            auto targets = attempt(candidates, borrowing);
            if (!targets.empty()) {
                return targets;
            }
        }
        return {};
    }

  private:
    /// Whether `rest` fits into the node's own quota; what the node cannot give locally stays in
    /// `rest`.
    bool fits_in_quota(NodeIndex node, Usages& rest) const {
        bool fits = true;
        for (auto& usage : rest) {
            const QuotaCell cell = tree_.cell(node, usage.flavor_resource);
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

    void collect_below(NodeIndex cohort, NodeIndex visited, NodeIndex common, bool advantage) {
        for (const auto child : tree_.node(cohort).children) {
            if (child == visited || search_.within_subtree_quota(child, preemptor_.needed)) {
                continue;
            }
            if (!tree_.node(child).is_cluster_queue) {
                collect_below(child, NodeIndex{}, common, advantage);
                continue;
            }
            for (const auto index :
                 search_.candidates_in(child, policy_.reclaim_within_cohort, preemptor_)) {
                auto& into = advantage ? hierarchical_ : priority_;
                into.push_back({index, common, class_of(index, advantage)});
            }
        }
    }

    void collect() {
        const NodeIndex own = preemptor_.cluster_queue;
        for (const auto index :
             search_.candidates_in(own, policy_.within_cluster_queue, preemptor_)) {
            own_.push_back({index, NodeIndex{}, CandidateClass::WithinClusterQueue});
        }
        if (policy_.reclaim_within_cohort == PreemptionPolicy::Never) {
            return;
        }
        Usages rest = preemptor_.usage;
        bool advantage = fits_in_quota(own, rest);
        NodeIndex visited = own;
        for (NodeIndex at = tree_.node(own).parent; at.is_valid(); at = tree_.node(at).parent) {
            collect_below(at, visited, at, advantage);
            const bool fits = fits_in_quota(at, rest);
            advantage = advantage || fits;
            visited = at;
        }
    }

    /// Evicted ones first; in each half the three classes, inside each the order of spec 5.2.
    std::vector<Candidate> in_order() {
        std::vector<Candidate> ordered;
        const auto better = [this](const Candidate& a, const Candidate& b) {
            return search_.is_better_victim(a.workload, b.workload, preemptor_.cluster_queue);
        };
        const std::array<std::vector<Candidate>*, 3> classes = {&hierarchical_, &priority_, &own_};
        for (auto* list : classes) {
            std::sort(list->begin(), list->end(), better);
        }
        for (const bool evicted : {true, false}) {
            for (const auto* list : classes) {
                std::copy_if(
                    list->begin(),
                    list->end(),
                    std::back_inserter(ordered),
                    [&](const Candidate& c) {
                        return search_.state().workload(c.workload).holding->evicted == evicted;
                    }
                );
            }
        }
        return ordered;
    }

    bool strictly_under_nominal() const {
        return std::all_of(preemptor_.needed.begin(), preemptor_.needed.end(), [this](auto needed) {
            const QuotaCell cell = tree_.cell(preemptor_.cluster_queue, needed);
            return cell.usage < cell.nominal;
        });
    }

    /// With borrowing or without, in the order tried (spec 5.4).
    std::vector<bool> attempts() const {
        if (hierarchical_.empty() && priority_.empty()) {
            return {true};
        }
        if (!policy_.borrow_within_cohort) {
            if (!strictly_under_nominal()) {
                return {true};
            }
            if (hierarchical_.empty()) {
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

    std::vector<PreemptionTarget> attempt(
        const std::vector<Candidate>& candidates, bool borrowing
    ) {
        std::vector<PreemptionTarget> targets;
        const auto mark = tree_.mark();
        for (const auto& candidate : candidates) {
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
    std::vector<Candidate> hierarchical_;
    std::vector<Candidate> priority_;
    std::vector<Candidate> own_;
};

}  // namespace

std::vector<PreemptionTarget> find_classical_targets(
    PreemptionSearch& search, const Preemptor& preemptor
) {
    return ClassicalSearch(search, preemptor).run();
}

}  // namespace sluice::engine
