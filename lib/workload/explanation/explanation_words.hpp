#pragma once

#include "engine/types/decision.hpp"
#include "workload/explanation/explanation.hpp"

#include <string>
#include <vector>

namespace sluice::workload {

/// Why the workload waits, in a line for people: what became of its turn, the most binding
/// constraint with its numbers and holders, and what could help. "" where only the message of its
/// condition says it.
std::string in_words(
    const engine::RefusalDecision& refusal, const std::vector<Constraint>& constraints
);

}  // namespace sluice::workload
