// Prints the explanation of a pending workload as one line for people.
#pragma once

#include "engine/types/decision.hpp"
#include "workload/explanation/explanation.hpp"

#include <string>
#include <vector>

namespace sluice::workload {

/// Returns why the workload is pending, in one line: the outcome of its turn, the most binding
/// constraint with its numbers and holders, and the remedies. Empty if only the message of its
/// condition explains the refusal.
std::string in_words(
    const engine::RefusalDecision& refusal, const std::vector<Constraint>& constraints
);

/// Returns the constraint in words, with its numbers and holders; empty if only the message of the
/// workload's condition explains it.
std::string constraint_words(const Constraint& constraint);

}  // namespace sluice::workload
