#pragma once

#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Why a workload waits, as data: what stands in its way, which workloads hold it, and what could
/// help.
namespace sluice::workload {

/// A workload that holds some of what is missing.
struct Holder {
    std::string workload;  ///< "namespace/name"
    std::string amount;    ///< "" where it is not a matter of amounts
    std::int64_t priority = 0;
    bool evicted = false;   ///< on its way out
    bool reserved = false;  ///< holds nothing yet: the cycle kept it for it
    friend bool operator==(const Holder&, const Holder&) = default;
};

/// One obstacle. Quantities are as Kubernetes prints them, what does not fit 64 bits as the largest
/// one; fields that do not apply are empty.
struct Constraint {
    std::string kind;  ///< quota, borrowingLimit, lendingLimit, taint, affinity, replacedSlice, …
    std::string pod_set;
    std::string resource;
    std::string flavor;
    std::string node;  ///< "clusterQueue/<name>" or "cohort/<name>"
    /// By this and earlier podSets, with what a slice that it replaces holds; where fewer pods
    /// would do (minCount), by as few as possible.
    std::string needed;
    /// When the workload was refused, with what that slice holds; what is missing is `needed` -
    /// `free`.
    std::string free;
    std::string limit;  ///< what the ClusterQueue could have if nothing were used
    std::string nominal;
    std::string borrowed;
    std::vector<Holder> holders;  ///< the largest first, at most ten
    /// wait: it may become free. borrow: it may become free in the cohort, and the limits let the
    /// ClusterQueue have it. preempt: policies allow to evict enough that hold it. None: under
    /// today's policies never.
    std::vector<std::string> remedies;
    /// The policy reclaimWithinCohort of the ClusterQueue where its own nominal quota would cover
    /// what others use of it, and the policy does not let it have it back.
    std::string reclaim;
    /// The search went on behind the flavor, as it had stopped there the last time.
    bool passed_over = false;
    friend bool operator==(const Constraint&, const Constraint&) = default;
};

/// The obstacles of a cycle's refusals, each with the numbers and holders of the moment of the
/// decision.
///
/// *Requires*: the state as the cycle left it. *Lifetime*: of both.
/// *Cost*: asked in their order, of a refusal that of its flavors, of the depth of the cohorts
/// times the number of priorities that holders have and, where it lost its room in its turn and may
/// preempt, of a search for victims; of all together that of sorting the holders. Asked in another
/// order, each time that of the turns before.
class Explanations {
  public:
    Explanations(const engine::State& state, const engine::CycleResult& result);
    Explanations(const Explanations&) = delete;
    Explanations& operator=(const Explanations&) = delete;
    Explanations(Explanations&&) noexcept;
    Explanations& operator=(Explanations&&) = delete;
    ~Explanations();

    /// The obstacles of that refusal, the most binding first. Of flavors that could serve alike the
    /// nearest comes first; of what is needed together, what can never be had, then what no
    /// eviction that policies allow would free, then the largest want.
    std::vector<Constraint> of(std::size_t refused);

  private:
    struct Cycle;
    std::unique_ptr<Cycle> cycle_;
};

}  // namespace sluice::workload
