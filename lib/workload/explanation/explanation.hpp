// Explains as data why a workload is pending: obstacles, their holders and possible remedies.
#pragma once

#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Explains as data why a workload is pending: its obstacles, the workloads that hold the missing
/// quota, and the remedies.
namespace sluice::workload {

/// A workload that holds some of the missing quota.
struct Holder {
    std::string workload;  ///< "namespace/name"
    std::string amount;    ///< Quantity; empty if the obstacle is not about amounts
    std::int64_t priority = 0;
    bool evicted = false;   ///< is being evicted
    bool reserved = false;  ///< holds nothing yet: the cycle reserved the amount for it
    friend bool operator==(const Holder&, const Holder&) = default;
};

/// One obstacle. Quantities are printed as Kubernetes prints them; an amount that does not fit 64
/// bits is printed as the largest one. Fields that do not apply are empty.
struct Constraint {
    std::string kind;  ///< quota, borrowingLimit, lendingLimit, taint, affinity, replacedSlice, …
    std::string pod_set;
    std::string resource;
    std::string flavor;
    std::string node;  ///< "clusterQueue/<name>" or "cohort/<name>"
    /// The need of this and earlier podSets, including what a replaced slice holds. With minCount,
    /// the need of the fewest pods allowed.
    std::string needed;
    /// The amount that was free when the workload was refused, including what the replaced slice
    /// holds. `needed` - `free` is missing.
    std::string free;
    std::string limit;  ///< what the ClusterQueue could have if nothing were used
    std::string nominal;
    std::string borrowed;
    std::vector<Holder> holders;  ///< the largest first, at most ten
    /// Possible remedies, empty if the workload can never be admitted under today's policies.
    /// "wait": the amount may become free. "borrow": it may become free in the cohort, and the
    /// limits allow the ClusterQueue to borrow it. "preempt": the policies allow enough evictions.
    std::vector<std::string> remedies;
    /// The ClusterQueue's policy reclaimWithinCohort, if the ClusterQueue's own nominal quota would
    /// suffice but is lent, and the policy does not allow it to be reclaimed.
    std::string reclaim;
    /// The search started after this flavor, because the previous attempt had stopped at it.
    bool passed_over = false;
    friend bool operator==(const Constraint&, const Constraint&) = default;
};

/// Explains the refusals of a cycle. Each explanation has the numbers and holders of the moment of
/// the decision.
///
/// *Requires*: the state as the cycle left it.
/// *Lifetime*: keeps references to both arguments.
/// *Cost*: if refusals are requested in their order, each costs its flavors, plus the depth of the
/// cohorts times the number of different priorities of holders, plus a search for victims if the
/// workload lost its room in its turn and may preempt. Sorting the holders is paid once for all
/// refusals. In any other order, each request also costs the turns before it.
class Explanations {
  public:
    Explanations(const engine::State& state, const engine::CycleResult& result);
    Explanations(const Explanations&) = delete;
    Explanations& operator=(const Explanations&) = delete;
    Explanations(Explanations&&) noexcept;
    Explanations& operator=(Explanations&&) = delete;
    ~Explanations();

    /// Returns the obstacles of a refusal, the most binding first. Among alternative flavors, the
    /// one closest to serving the workload comes first. Among groups that are all needed, the first
    /// is one that can never be had, then one that no allowed eviction would free, then the one
    /// with the largest missing part.
    std::vector<Constraint> of(std::size_t refused);

  private:
    struct Cycle;
    std::unique_ptr<Cycle> cycle_;
};

}  // namespace sluice::workload
