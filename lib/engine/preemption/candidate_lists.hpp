#pragma once

#include "engine/quota/usage_view.hpp"
#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/objects.hpp"
#include "engine/types/time.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace sluice::engine {

/// A workload that holds quota, with what the order of victims compares.
struct Candidate {
    WorkloadIndex workload;
    std::int64_t priority = 0;
    Time reserved_at;  ///< the search's time where the reservation has none
    bool evicted = false;
};

/// Whether `a` is evicted before `b`: what is evicted already, then the lower rank (what
/// stands in for the ClusterQueues that they are of), the lower priority, the later reservation,
/// the uid. For admission fair sharing see put_larger_users_first().
bool is_better_victim(
    const State& state, const Candidate& a, int rank_of_a, const Candidate& b, int rank_of_b
);

/// Whether the policy lets the preemptor evict the candidate.
bool allows(
    PreemptionPolicy policy, const WorkloadRecord& preemptor, const WorkloadRecord& candidate
);

/// Holders of one ClusterQueue, the best victim first. Only as much of the order is worked out as
/// is asked for: mostly a few of very many are needed.
class CandidateList {
  public:
    CandidateList() = default;
    /// Puts `candidates` in order. *Lifetime*: of both.
    CandidateList(const State& state, std::span<Candidate> candidates)
        : state_(&state), candidates_(candidates) {}

    /// The candidate at that place of the order, nullptr behind the last. *Lifetime*: the list's.
    const Candidate* at(std::size_t position);
    /// How many at the beginning of the order are among `removed`, which only grows.
    std::size_t skip(const std::set<WorkloadIndex>& removed);
    /// The first that is not among those; nullptr: there is none.
    const Candidate* first_but(const std::set<WorkloadIndex>& removed) { return at(skip(removed)); }
    /// All, in no order that anything may depend on.
    std::span<const Candidate> unordered() const { return candidates_; }

  private:
    const State* state_ = nullptr;
    std::span<Candidate> candidates_;  // a heap, and behind it what has left it, the first last
    std::size_t left_ = 0;
    std::size_t removed_ = 0;  // at the beginning of the order
};

/// What may be evicted: by which workload, and what is gone already. *Lifetime*: of what it refers
/// to.
struct EvictionRight {
    const State* state = nullptr;
    const WorkloadRecord* preemptor = nullptr;
    const std::set<WorkloadIndex>* removed = nullptr;
    PreemptionPolicy policy = PreemptionPolicy::Never;
};

/// Walks those of a list that may be evicted, the best victim first.
class CandidateWalk {
  public:
    CandidateWalk(CandidateList& list, const EvictionRight& right)
        : list_(&list), right_(right), position_(list.skip(*right.removed)) {
        find();
    }

    /// The candidate it stands at, nullptr at the end.
    const Candidate* current() const { return current_; }
    void advance() {
        ++position_;
        find();
    }

  private:
    void find();

    CandidateList* list_;
    EvictionRight right_;
    std::size_t position_ = 0;
    const Candidate* current_ = nullptr;
};

/// The holders of each ClusterQueue that use what a preemptor needs. Worked out once for all
/// searches of a cycle, for those ClusterQueues that they search.
///
/// *Lifetime*: of the state, until holders change. Those that count as removed only become more.
class CandidateLists {
  public:
    /// `now` counts as the time of reservations that have none.
    CandidateLists(const State& state, Time now) : state_(state), now_(now) {}
    CandidateLists(const CandidateLists&) = delete;
    CandidateLists& operator=(const CandidateLists&) = delete;

    /// The holders of the ClusterQueue that use any of `needed`; none if it is not active.
    /// *Lifetime*: of the lists.
    CandidateList& in(NodeIndex cluster_queue, const FlavorResources& needed);
    /// Whether in() was asked for that ClusterQueue, so that it costs little.
    bool has(NodeIndex cluster_queue) const {
        return used_last_.first == cluster_queue || holders_.contains(cluster_queue);
    }

  private:
    struct Merged {
        std::vector<Candidate> candidates;
        CandidateList list;
    };
    struct Holders {
        std::vector<Candidate> by_flavor_resource;  // once for each that they use
        std::vector<std::pair<FlavorResourceIndex, CandidateList>> lists;
        std::map<FlavorResources, Merged> merged;
    };
    Holders& holders_of(NodeIndex cluster_queue);
    void group(const std::vector<WorkloadIndex>& all, Holders& into);
    CandidateList& merged(Holders& holders, const FlavorResources& needed) const;

    const State& state_;
    Time now_;
    std::map<NodeIndex, Holders> holders_;
    std::pair<NodeIndex, Holders*> used_last_;  // a search on many flavors asks again and again
    std::vector<std::pair<FlavorResourceIndex, WorkloadIndex>> uses_;  // memory of group()
    CandidateList none_;
};

}  // namespace sluice::engine
