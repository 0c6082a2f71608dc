// Estimates the highest possible cost of an expression, by the limits of its schema.
#pragma once

#include "cel/syntax/expression.hpp"
#include "cel/values/type.hpp"

#include <cstdint>

namespace sluice::cel {

/// Returns the highest possible cost of an evaluation, given the limits of the schema; the largest
/// number if the cost has no bound. `root` is the type of `self`. The API server uses the same
/// estimate to refuse definitions. Requires: a checked expression.
std::uint64_t estimate_cost(const Expression& expression, const Type& root);

/// Adds or multiplies; the result is at most the largest number.
std::uint64_t add_costs(std::uint64_t a, std::uint64_t b);
std::uint64_t multiply_costs(std::uint64_t a, std::uint64_t b);

}  // namespace sluice::cel
