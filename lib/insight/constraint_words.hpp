// A constraint in a few words, for one line of a table.
#pragma once

#include "api/core/taint.hpp"
#include "workload/explanation/explanation.hpp"

#include <string>

namespace sluice::insight {

/// Returns the amount that is missing, `needed` - `free`; empty if the constraint has no amounts.
std::string shortage_of(const workload::Constraint& constraint);

/// Returns the constraint in a few words, without the flavor that it is about unless it is a limit
/// of all flavors: "16 short in cohort org". `taint`: the taint that is not tolerated, if known.
std::string short_words(const workload::Constraint& constraint, const std::string& taint);

/// Returns a taint as kubectl prints it: "key=value:effect".
std::string print_taint(const api::Taint& taint);

}  // namespace sluice::insight
