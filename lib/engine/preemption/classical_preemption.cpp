// Preemption without fair sharing: the classes of candidates, their order, and the attempts with
// and without borrowing (pkg/scheduler/preemption/classical).
#include "base/small_vector.hpp"
#include "engine/preemption/preemption.hpp"
#include "engine/preemption/victim_order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

enum class CandidateClass : std::uint8_t {
    Hierarchical,             ///< uses quota of a subtree that the preemptor stays within
    ReclaimWithoutBorrowing,  ///< is evicted only if the preemptor does not borrow
    ReclaimWhileBorrowing,    ///< is evicted even if the preemptor borrows (borrowWithinCohort)
    WithinClusterQueue,
};

/// A ClusterQueue from which victims are taken.
struct Source {
    CandidateWalk walk;
    NodeIndex lowest_common_cohort;
    bool is_own = false;
    /// The preemptor stays within the quota of a subtree of that cohort.
    bool advantage = false;

    /// Returns the rank for is_better_victim().
    int rank() const { return is_own ? 2 : advantage ? 0 : 1; }
};

struct RankedCandidate {
    const Candidate* candidate = nullptr;
    std::uint32_t source = 0;
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
    ClassicalSearch(PreemptionSearch& search, const PreemptionRequest& preemptor)
        : search_(search),
          preemptor_(preemptor),
          view_(search.view()),
          policy_(search.state().cluster_queue(preemptor.cluster_queue).spec.preemption),
          start_(view_.version()) {}

    std::vector<PreemptionTarget> run() {
        collect();
        for (const Borrowing borrowing : attempts()) {
            auto targets = attempt(borrowing);
            if (!targets.empty()) {
                return targets;
            }
        }
        search_.record_spared(preemptor_.cluster_queue, preemptor_, policy_.within_cluster_queue);
        if (looks_elsewhere_) {
            search_.record_spared_elsewhere(
                preemptor_,
                policy_.reclaim_within_cohort,
                [this](NodeIndex queue) {
                    return exceeds_quota(queue, meeting_point(queue).cohort);
                }
            );
        }
        return {};
    }

  private:
    /// An ancestor of the preemptor's ClusterQueue. `advantage`: the preemptor fits into the quota
    /// of a subtree below it.
    struct Ancestor {
        NodeIndex cohort;
        bool advantage = false;
    };

    EvictionRight right_over(NodeIndex queue) const {
        const bool own = queue == preemptor_.cluster_queue;
        return search_.right_of(
            preemptor_, own ? policy_.within_cluster_queue : policy_.reclaim_within_cohort
        );
    }

    /// Returns the class of a candidate of the source; nullopt if the candidate does not take part.
    std::optional<CandidateClass> class_of(const Source& source, const Candidate& candidate) const {
        if (source.is_own) {
            return CandidateClass::WithinClusterQueue;
        }
        if (source.advantage) {
            return CandidateClass::Hierarchical;
        }
        if (policy_.borrow_within_cohort &&
            candidate.priority < search_.state().workload(preemptor_.workload).priority &&
            candidate.priority <= policy_.max_priority_threshold.value_or(candidate.priority)) {
            return CandidateClass::ReclaimWhileBorrowing;
        }
        return counts_without_borrowing_ ? std::optional(CandidateClass::ReclaimWithoutBorrowing)
                                         : std::nullopt;
    }

    /// Skips candidates that do not take part.
    void skip_others(Source& source) const {
        while (source.walk.current() != nullptr && !class_of(source, *source.walk.current())) {
            source.walk.advance();
        }
    }

    /// Adds a source; `met` is nullptr for the preemptor's own ClusterQueue.
    void add(NodeIndex queue, const Ancestor* met) {
        const NodeIndex common = met == nullptr ? queue : met->cohort;
        Source source{
            .walk = CandidateWalk(search_.candidates_in(queue, preemptor_), right_over(queue)),
            .lowest_common_cohort = common,
            .is_own = met == nullptr,
            .advantage = met != nullptr && met->advantage,
        };
        skip_others(source);
        if (source.walk.current() == nullptr) {
            return;
        }
        has_hierarchical_ = has_hierarchical_ || source.advantage;
        has_foreign_ = has_foreign_ || !source.is_own;
        sources_.push_back(source);
        unmerged_.push_back(static_cast<std::uint32_t>(sources_.size() - 1));
        std::push_heap(unmerged_.begin(), unmerged_.end(), GoesLater{this});
    }

    /// Adds the next ClusterQueue of the order, if it has candidates.
    void add_next() {
        const NodeIndex queue = next_->node;
        ++next_;
        if (queue == preemptor_.cluster_queue) {
            return;
        }
        const Ancestor& met = meeting_point(queue);
        // Evictions may bring the ClusterQueue back within its quota, and it is above its quota
        // again in the next attempt. Until then still_counts() leaves its candidates out.
        if (view_.version() != start_ || exceeds_quota(queue, met.cohort)) {
            add(queue, &met);
        }
    }

    /// Returns true if `rest` fits into the node's own quota. Subtracts from `rest` what the node
    /// has locally.
    bool fits_in_quota(NodeIndex node, Usages& rest) const {
        bool fits = true;
        for (auto& usage : rest) {
            const QuotaCell& cell = view_.cell(node, usage.flavor_resource);
            fits = fits && cell.subtree >= cell.usage + usage.amount;
            usage.amount = max(Amount(), usage.amount - cell.local_available());
        }
        return fits;
    }

    /// Returns the ancestors from the parent up to the root.
    SmallVector<Ancestor, 8> ancestors() const {
        SmallVector<Ancestor, 8> found;
        const NodeIndex own = preemptor_.cluster_queue;
        Usages rest = preemptor_.usage;
        bool advantage = fits_in_quota(own, rest);
        for (NodeIndex at = view_.node(own).parent; at.is_valid(); at = view_.node(at).parent) {
            found.push_back({.cohort = at, .advantage = advantage});
            const bool fits = fits_in_quota(at, rest);
            advantage = advantage || fits;
        }
        return found;
    }

    /// Returns the lowest cohort that the ClusterQueue has in common with the preemptor.
    const Ancestor& meeting_point(NodeIndex queue) const {
        const auto top = static_cast<std::int32_t>(ancestors_.size()) - 1;
        for (NodeIndex at = view_.node(queue).parent;; at = view_.node(at).parent) {
            const auto depth = view_.node(at).depth;
            if (depth <= top && ancestors_[static_cast<std::size_t>(top - depth)].cohort == at) {
                return ancestors_[static_cast<std::size_t>(top - depth)];
            }
        }
    }

    /// Returns true if all subtrees from the ClusterQueue up to the one directly below that cohort
    /// use more than their quota. A subtree within its quota gives no victim.
    bool exceeds_quota(NodeIndex queue, NodeIndex below) const {
        for (NodeIndex at = queue; at != below; at = view_.node(at).parent) {
            if (search_.within_subtree_quota(at, preemptor_.needed)) {
                return false;
            }
        }
        return true;
    }

    void collect() {
        if (policy_.within_cluster_queue != PreemptionPolicy::Never) {
            add(preemptor_.cluster_queue, nullptr);
        }
        if (policy_.reclaim_within_cohort == PreemptionPolicy::Never) {
            return;
        }
        counts_without_borrowing_ = may_go_without_borrowing();
        ancestors_ = ancestors();
        const bool has_advantage = std::ranges::any_of(ancestors_, &Ancestor::advantage);
        if (!counts_without_borrowing_ && !policy_.borrow_within_cohort && !has_advantage) {
            return;
        }
        looks_elsewhere_ = true;
        if (!search_.may_find_elsewhere(preemptor_, policy_.reclaim_within_cohort)) {
            return;
        }
        lowest_rank_ = has_advantage ? 0 : 1;
        const auto& order = search_.queues_above_quota(preemptor_).in_order();
        next_ = order.begin();
        end_ = order.end();
        while (!has_foreign_ && has_next()) {
            add_next();
        }
    }

    /// Puts candidates that are being evicted first. In both groups, candidates that use quota of a
    /// subtree that the preemptor stays within come first, then those of other ClusterQueues of the
    /// cohort, then those of the own ClusterQueue. Each of these is in the order of victims.
    struct GoesLater {
        const ClassicalSearch* search = nullptr;

        bool operator()(std::uint32_t a, std::uint32_t b) const {
            const Source& x = search->sources_[a];
            const Source& y = search->sources_[b];
            return is_better_victim(
                search->search_.state(), *y.walk.current(), y.rank(), *x.walk.current(), x.rank()
            );
        }
    };

    /// Returns the candidate at that position of the order; nullptr after the last one.
    const RankedCandidate* at(std::size_t position) {
        if (merged_.empty() && search_.state().options().admission_fair_sharing) {
            while (merge_next()) {
            }
            put_larger_users_first(search_.state(), merged_, [](const RankedCandidate& c) {
                return c.candidate->workload;
            });
        }
        while (merged_.size() <= position) {
            if (!merge_next()) {
                return nullptr;
            }
        }
        return &merged_[position];
    }

    /// Returns true if a later ClusterQueue of the order may have candidates. If the best victim of
    /// the next one has too high a priority, all later ones have too.
    bool has_next() const {
        if (next_ == end_) {
            return false;
        }
        const Candidate& first = *next_->first;
        return policy_.reclaim_within_cohort == PreemptionPolicy::Any || first.evicted ||
               first.priority <= search_.state().workload(preemptor_.workload).priority;
    }

    /// Returns true if the next ClusterQueue of the order could have a victim that comes before the
    /// known candidates.
    bool is_next_first() const {
        if (!has_next() || unmerged_.empty()) {
            return has_next();
        }
        const Source& known = sources_[unmerged_.front()];
        return is_better_victim(
            search_.state(), *next_->first, lowest_rank_, *known.walk.current(), known.rank()
        );
    }

    bool merge_next() {
        while (is_next_first()) {
            add_next();
        }
        if (unmerged_.empty()) {
            return false;
        }
        std::pop_heap(unmerged_.begin(), unmerged_.end(), GoesLater{this});
        Source& source = sources_[unmerged_.back()];
        const Candidate& candidate = *source.walk.current();
        if (const auto of = class_of(source, candidate)) {
            merged_.push_back({&candidate, unmerged_.back(), *of});
        }
        source.walk.advance();
        skip_others(source);
        if (source.walk.current() == nullptr) {
            unmerged_.pop_back();
        } else {
            std::push_heap(unmerged_.begin(), unmerged_.end(), GoesLater{this});
        }
        return true;
    }

    /// Returns true if candidates of the class ReclaimWithoutBorrowing take part: if an attempt
    /// without borrowing is made and could succeed, or if they influence the order of other
    /// candidates. Evictions in other ClusterQueues do not change the usage of the preemptor's own
    /// ClusterQueue.
    bool may_go_without_borrowing() const {
        if (search_.state().options().admission_fair_sharing) {
            return true;  // they influence the order: see put_larger_users_first()
        }
        if (!policy_.borrow_within_cohort && !strictly_under_nominal()) {
            return false;  // see attempts()
        }
        return !sources_.empty() ||
               std::ranges::none_of(preemptor_.usage, [this](const Usage& usage) {
                   return view_.is_borrowing_with(
                       preemptor_.cluster_queue, usage.flavor_resource, usage.amount
                   );
               });
    }

    bool strictly_under_nominal() const {
        return std::all_of(preemptor_.needed.begin(), preemptor_.needed.end(), [this](auto needed) {
            const QuotaCell& cell = view_.cell(preemptor_.cluster_queue, needed);
            return cell.usage < cell.nominal;
        });
    }

    bool has_hierarchical() {
        while (!has_hierarchical_ && lowest_rank_ == 0 && has_next()) {
            add_next();
        }
        return has_hierarchical_;
    }

    /// Returns the attempts in the order in which they are made.
    SmallVector<Borrowing, 2> attempts() {
        if (!has_foreign_) {
            return {Borrowing::Allowed};
        }
        if (!policy_.borrow_within_cohort) {
            if (!strictly_under_nominal()) {
                return {Borrowing::Allowed};
            }
            if (!has_hierarchical()) {
                return {Borrowing::Forbidden, Borrowing::Allowed};
            }
        }
        return {Borrowing::Allowed, Borrowing::Forbidden};
    }

    bool still_counts(const RankedCandidate& candidate, Borrowing borrowing) const {
        if (candidate.of == CandidateClass::WithinClusterQueue) {
            return true;
        }
        if (borrowing == Borrowing::Allowed &&
            candidate.of == CandidateClass::ReclaimWithoutBorrowing) {
            return false;
        }
        // An earlier eviction may have brought the victim's subtree back within its quota.
        const Holding& holding = *search_.state().workload(candidate.candidate->workload).holding;
        return exceeds_quota(
            holding.cluster_queue, sources_[candidate.source].lowest_common_cohort
        );
    }

    std::vector<PreemptionTarget> attempt(Borrowing borrowing) {
        std::vector<PreemptionTarget> targets;
        const UsageView::Trial trial(view_);
        for (std::size_t i = 0; const RankedCandidate* candidate = at(i); ++i) {
            if (!still_counts(*candidate, borrowing)) {
                continue;
            }
            const WorkloadIndex victim = candidate->candidate->workload;
            search_.evict(victim);
            targets.push_back({victim, reason_of(candidate->of)});
            if (search_.fits(preemptor_, borrowing)) {
                search_.fill_back(preemptor_, targets, borrowing, [](WorkloadIndex) {
                    return true;
                });
                search_.note_level(preemptor_);
                return targets;
            }
        }
        return {};
    }

    PreemptionSearch& search_;
    const PreemptionRequest& preemptor_;
    UsageView& view_;
    const Preemption& policy_;
    std::uint64_t start_;
    bool looks_elsewhere_ = false;
    SmallVector<Ancestor, 8> ancestors_;
    int lowest_rank_ = 1;  ///< lowest rank that a candidate of another ClusterQueue can have
    QueuesAboveQuota::Order::const_iterator next_;
    QueuesAboveQuota::Order::const_iterator end_ = next_;
    SmallVector<Source, 2> sources_;
    SmallVector<std::uint32_t, 2> unmerged_;  // a heap of the sources that have candidates left
    SmallVector<RankedCandidate, 4> merged_;  // as far as it was read
    bool has_hierarchical_ = false;
    bool has_foreign_ = false;
    bool counts_without_borrowing_ = false;  ///< see may_go_without_borrowing()
};

}  // namespace

std::vector<PreemptionTarget> find_classical_targets(
    PreemptionSearch& search, const PreemptionRequest& preemptor
) {
    return ClassicalSearch(search, preemptor).run();
}

}  // namespace sluice::engine
