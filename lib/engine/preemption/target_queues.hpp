#pragma once

#include "engine/preemption/candidate_lists.hpp"
#include "engine/preemption/preemption_context.hpp"
#include "engine/preemption/share_contests.hpp"
#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::engine {

/// Walks the ClusterQueues to take victims from: from the root always down into the child with the
/// highest share, as usage changes under it (KEP-1714). Of several children with the highest share,
/// into the one that gives the best victim.
///
/// *Cost* of a step: the depth times the logarithm of the children, and of those passed over that
/// have no workload that the preemptor may evict; where cohorts have equal shares, of all of them.
class TargetQueues {
  public:
    /// The preemptor's own ClusterQueue with `own`, and those of `others`, which is as usage was
    /// before the preemptor's own was assumed, with what `right` lets it evict. *Lifetime*: of all
    /// that is referred to.
    TargetQueues(
        const PreemptionContext& context,
        NodeIndex preemptor_queue,
        const std::optional<CandidateWalk>& own,
        const ShareContests* others,
        const FlavorResources& needed,
        const EvictionRight& right
    );
    /// Just those candidates: those of one ClusterQueue together, the best victim first.
    TargetQueues(
        const PreemptionContext& context,
        NodeIndex preemptor_queue,
        std::vector<const Candidate*> candidates
    );
    TargetQueues(const TargetQueues&) = delete;
    TargetQueues& operator=(const TargetQueues&) = delete;

    /// The next ClusterQueue; none when all are exhausted.
    NodeIndex next();
    /// The next candidate of one that next() gave, which is then no candidate any more; nullptr at
    /// the end.
    const Candidate* pop(NodeIndex queue);
    void drop(NodeIndex queue);
    /// Requires a call for each ClusterQueue whose usage changes.
    void usage_changed(NodeIndex queue);

    /// The children of the lowest common cohort on the preemptor's and on the target's path.
    std::pair<NodeIndex, NodeIndex> below_common_cohort(NodeIndex target) const;

  private:
    /// A contestant as it was when it entered.
    struct Entry {
        Contestant contestant;
        std::uint32_t changes = 0;
    };
    using Heap = std::pmr::vector<Entry>;
    /// The children of a cohort: those that are as `others` has them, from a place of it on, and
    /// those that have changed since.
    struct Contest {
        Contest(const ShareContests::Order& others, std::pmr::memory_resource* memory)
            : next(others.begin()), end(others.end()), changed(memory) {}

        ShareContests::Order::const_iterator next;
        ShareContests::Order::const_iterator end;
        Heap changed;
    };
    struct Cohort {
        Cohort(
            const ShareContests::Order& others_queues,
            const ShareContests::Order& others_cohorts,
            std::pmr::memory_resource* memory
        )
            : queues(others_queues, memory), cohorts(others_cohorts, memory) {}

        Contest queues;
        Contest cohorts;
    };
    /// A node that is not as `others` has it.
    struct Standing {
        ShareRank share;
        bool borrows = false;
        bool is_pruned = false;
        std::uint32_t changes = 0;  ///< entries from before the last one count no more
        std::optional<CandidateWalk> walk;
        std::size_t next = 0;  ///< without a walk: of candidates_, up to `end`
        std::size_t end = 0;
    };

    bool is_ancestor(NodeIndex cohort) const;
    NodeIndex child_of(NodeIndex cohort, NodeIndex below) const;
    const Candidate* candidate_of(const Standing& standing) const;
    /// With what the preemptor asks for, its own way is not as `others` has it: where that leads
    /// through the cohort, the child on it enters.
    Cohort& cohort(NodeIndex node);
    /// Its standing; one like others_ has it if there is none yet.
    Standing& standing_of(NodeIndex node);
    /// Enters as it stands now.
    void enter(NodeIndex node, Standing& standing);
    void drop_outdated(Contest& contest);
    /// Passes over those that changed or have no workload that the preemptor may evict.
    enum class Children : std::uint8_t { ClusterQueues, Cohorts };
    void pass_over_changed(Contest& contest, Children children);
    /// The child with the highest share that borrows; the preemptor's own way needs not.
    const Contestant* first_of(Contest& contest, Children children);
    /// Returns the cohorts that have that share, which is the highest of the contest.
    std::vector<NodeIndex> cohorts_of_share(const Contest& contest, ShareRank share) const;
    /// Returns true if victims are taken from the ClusterQueue `a` before `b` at equal shares.
    bool is_better(const Contestant& a, const Contestant& b) const;
    /// Returns the ClusterQueue to take the next victim from below the cohort; nullopt if it has
    /// none, or if the cohorts with the highest share have none: those are dropped then.
    std::optional<Contestant> descend(NodeIndex cohort_node);

    const State& state_;
    const UsageView& view_;
    CandidateLists& lists_;
    NodeIndex preemptor_queue_;
    const ShareContests* others_ = nullptr;
    const FlavorResources* needed_ = nullptr;
    EvictionRight right_;
    std::optional<CandidateWalk> own_;
    std::vector<const Candidate*> candidates_;
    NodeIndex popped_;  // to enter again if the search goes on
    // Mostly a victim is found among few.
    std::array<std::byte, 4096> buffer_;
    std::pmr::monotonic_buffer_resource memory_{buffer_.data(), buffer_.size()};
    std::pmr::map<NodeIndex, Standing> standings_{&memory_};
    std::pmr::map<NodeIndex, Cohort> cohorts_{&memory_};
};

}  // namespace sluice::engine
