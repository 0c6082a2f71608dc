// Finds changes that would admit a workload at once, each tried on a fork of the state.
#pragma once

#include "api/insight/explanation.hpp"
#include "engine/types/decision.hpp"
#include "insight/situation.hpp"
#include "workload/explanation/explanation.hpp"

#include <vector>

namespace sluice::insight {

/// Returns the changes that admit the workload, the smallest of each kind. Each was made on a fork
/// of the state: `when` is empty if cycles with all other workloads then admit it at once.
/// `refusal`, `constraints`: why it is refused alone. *Cost*: at most 64 changes and about 200
/// decisions on the workload alone; then a run of cycles for each change that helps.
std::vector<api::ExplainedRemedy> find_remedies(
    const Situation& situation,
    const engine::RefusalDecision& refusal,
    const std::vector<workload::Constraint>& constraints
);

/// Returns the changes that let a queue try the workload, and admit it.
std::vector<api::ExplainedRemedy> find_remedies_of_stop(const Situation& situation);

}  // namespace sluice::insight
