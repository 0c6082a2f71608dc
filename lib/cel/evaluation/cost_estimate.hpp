#pragma once

#include "cel/syntax/expression.hpp"
#include "cel/values/type.hpp"

#include <cstdint>

namespace sluice::cel {

/// The most that an evaluation may cost, given how large the schema lets values be; the largest
/// number where nothing bounds it. `root`: the type of `self`. The same estimate as the API
/// server's, which refuses definitions by it. Requires: a checked expression.
std::uint64_t estimate_cost(const Expression& expression, const Type& root);

/// Sums and products that stop at the largest number.
std::uint64_t add_costs(std::uint64_t a, std::uint64_t b);
std::uint64_t multiply_costs(std::uint64_t a, std::uint64_t b);

}  // namespace sluice::cel
