#pragma once

#include "engine/decision.hpp"
#include "engine/state.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Why a workload waits, as data: what stands in its way, who holds it, and what could help.
namespace sluice::workload {

/// A workload that holds some of what is missing.
struct Holder {
    std::string workload;  ///< "namespace/name"
    std::string amount;    ///< "" where it is not a matter of amounts
    std::int64_t priority = 0;
    bool evicted = false;   ///< on its way out
    bool reserved = false;  ///< holds nothing yet: the cycle kept it for it
};

/// One obstacle. Quantities are as Kubernetes prints them, what does not fit 64 bits as the largest
/// one; fields that do not apply are empty.
struct Constraint {
    std::string kind;  ///< quota, borrowingLimit, lendingLimit, taint, affinity, replacedSlice, …
    std::string pod_set;
    std::string resource;
    std::string flavor;
    std::string node;    ///< "clusterQueue/<name>" or "cohort/<name>"
    std::string needed;  ///< by this and earlier podSets
    std::string free;    ///< when the workload was refused; what is missing is `needed` - `free`
    std::string limit;   ///< what the ClusterQueue could have if nobody used anything
    std::string nominal;
    std::string borrowed;
    std::vector<Holder> holders;  ///< the largest first, at most ten
    /// wait: it may become free. borrow: it may become free in the cohort, and the limits let the
    /// ClusterQueue have it. preempt: policies allow to evict some who hold it. None: under today's
    /// policies never.
    std::vector<std::string> remedies;
};

/// The obstacles of a refusal, the most binding first, with the numbers and holders of the moment
/// of the decision. Of flavors that could serve alike the nearest comes first; of what is needed
/// together, what can never be had, then the largest want.
/// *Requires*: the state as the cycle left it.
std::vector<Constraint> explain(
    const engine::State& state, const engine::CycleResult& result, std::size_t refused
);

}  // namespace sluice::workload
