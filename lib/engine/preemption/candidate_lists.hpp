// The holders of quota that a search for victims considers, the best victim first.
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

/// A workload that holds quota, with the values by which victims are ordered.
struct Candidate {
    WorkloadIndex workload;
    std::int64_t priority = 0;
    Time reserved_at;  ///< the time of the search if the reservation has none
    bool evicted = false;
};

/// Returns true if `a` is evicted before `b`: workloads that are being evicted already come first,
/// then the lower rank (a number that the search gives their ClusterQueues), the lower priority,
/// the later reservation, the lower uid. For admission fair sharing see put_larger_users_first().
bool is_better_victim(
    const State& state, const Candidate& a, int rank_of_a, const Candidate& b, int rank_of_b
);

/// Returns true if the policy lets the preemptor evict the candidate.
bool allows(
    PreemptionPolicy policy, const WorkloadRecord& preemptor, const WorkloadRecord& candidate
);

/// Holders of one ClusterQueue, the best victim first. The order is computed only as far as it is
/// read, because a search mostly needs a few of very many holders.
class CandidateList {
  public:
    CandidateList() = default;
    /// Orders `candidates` in place. *Lifetime*: both arguments outlive the list.
    CandidateList(const State& state, std::span<Candidate> candidates)
        : state_(&state), candidates_(candidates) {}

    /// Returns the candidate at that position of the order; nullptr after the last one. *Lifetime*:
    /// that of the list.
    const Candidate* at(std::size_t position);
    /// Returns how many candidates at the beginning of the order are in `removed`. Requires:
    /// `removed` only grows from call to call.
    std::size_t skip(const std::set<WorkloadIndex>& removed);
    /// Returns the first candidate that is not in `removed`; nullptr if all are.
    const Candidate* first_but(const std::set<WorkloadIndex>& removed) { return at(skip(removed)); }
    /// Returns all candidates in an order that no result may depend on.
    std::span<const Candidate> unordered() const { return candidates_; }

  private:
    const State* state_ = nullptr;
    // A heap, then the candidates that left it, the first one last.
    std::span<Candidate> candidates_;
    std::size_t left_ = 0;
    std::size_t removed_ = 0;  // number at the beginning of the order
};

/// The right of a workload to evict holders that are not removed yet. *Lifetime*: the objects that
/// it refers to outlive it.
struct EvictionRight {
    const State* state = nullptr;
    const WorkloadRecord* preemptor = nullptr;
    const std::set<WorkloadIndex>* removed = nullptr;
    PreemptionPolicy policy = PreemptionPolicy::Never;
    WorkloadIndex spared = {};  ///< not evicted, if valid
};

/// Walks the candidates of a list that may be evicted, the best victim first.
class CandidateWalk {
  public:
    CandidateWalk(CandidateList& list, const EvictionRight& right)
        : list_(&list), right_(right), position_(list.skip(*right.removed)) {
        find();
    }

    /// Returns the current candidate; nullptr at the end.
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

/// The holders of each ClusterQueue that use what a preemptor needs. They are computed once for all
/// searches of a cycle, and only for the ClusterQueues that are searched.
///
/// *Lifetime*: the state outlives the lists, and holders do not change. The set of removed holders
/// only grows.
class CandidateLists {
  public:
    /// `now` is the time of reservations that have none.
    CandidateLists(const State& state, Time now) : state_(state), now_(now) {}
    CandidateLists(const CandidateLists&) = delete;
    CandidateLists& operator=(const CandidateLists&) = delete;

    /// Returns the holders of the ClusterQueue that use any of `needed`; an empty list if it is not
    /// active. *Lifetime*: that of this object.
    CandidateList& in(NodeIndex cluster_queue, const FlavorResources& needed);
    /// Returns true if in() was called for that ClusterQueue before, so that another call is cheap.
    bool has(NodeIndex cluster_queue) const {
        return used_last_.first == cluster_queue || holders_.contains(cluster_queue);
    }

  private:
    struct Merged {
        std::vector<Candidate> candidates;
        CandidateList list;
    };
    struct Holders {
        std::vector<Candidate> by_flavor_resource;  // an entry for each that a holder uses
        std::vector<std::pair<FlavorResourceIndex, CandidateList>> lists;
        std::map<FlavorResources, Merged> merged;
    };
    Holders& holders_of(NodeIndex cluster_queue);
    void group(const std::vector<WorkloadIndex>& all, Holders& into);
    CandidateList& merged(Holders& holders, const FlavorResources& needed) const;

    const State& state_;
    Time now_;
    std::map<NodeIndex, Holders> holders_;
    std::pair<NodeIndex, Holders*> used_last_;  // a search over many flavors repeats it
    std::vector<std::pair<FlavorResourceIndex, WorkloadIndex>> uses_;  // reused by group()
    CandidateList none_;
};

}  // namespace sluice::engine
