#pragma once

#include "api/workload.hpp"
#include "engine/decision.hpp"
#include "engine/state.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// Why a workload waits, as data: what stands in its way, who holds it, and what could help.
namespace sluice::workload {

/// A workload that holds some of what is missing.
struct Holder {
    std::string workload;  ///< "namespace/name"
    std::string amount;
    std::int64_t priority = 0;
};

/// One obstacle. Quantities are as Kubernetes prints them; fields that do not apply are empty.
struct Constraint {
    std::string kind;  ///< quota, borrowingLimit, lendingLimit, taint, affinity, replacedSlice, …
    std::string pod_set;
    std::string resource;
    std::string flavor;
    std::string node;  ///< "clusterQueue/<name>" or "cohort/<name>"
    std::string needed;
    std::string free;
    std::string limit;
    std::string nominal;
    std::string borrowed;
    std::vector<Holder> holders;  ///< the largest first, at most ten
    std::vector<std::string>
        remedies;  ///< wait, borrow, preempt; empty: under today's policies never
};

/// The obstacles of a refusal, the most binding first: what can never be had, then the largest
/// want. Free amounts and holders are those of the state as it is.
std::vector<Constraint> explain(
    const engine::State& state,
    const engine::RefusalDecision& refusal,
    const api::Workload& workload
);

}  // namespace sluice::workload
