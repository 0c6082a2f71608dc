// The limit of an evaluation's work that costs do not count.
#pragma once

#include "cel/syntax/overload.hpp"

#include <cstdint>
#include <span>

namespace sluice::cel {

/// The work that an evaluation may do in addition to its cost: the API server counts a comparison
/// of whole objects, or a copy of a list, as one unit.
inline constexpr std::uint64_t kMaxEffort = 2'000'000;

/// Returns the number of parts of values that a call reads; a text counts one part for every 64
/// bytes.
std::uint64_t reading_effort(CostRule rule, std::span<const Value> arguments);

/// Returns the memory that a result needs, in about the same units.
std::uint64_t making_effort(const Value& result, bool is_copy);

}  // namespace sluice::cel
