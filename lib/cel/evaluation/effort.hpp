#pragma once

#include "cel/syntax/overload.hpp"

#include <cstdint>
#include <span>

namespace sluice::cel {

/// What an evaluation may do beside what costs count: the API server's costs take a comparison of
/// whole objects, and a copy of a list, for one unit.
inline constexpr std::uint64_t kMaxEffort = 2'000'000;

/// The parts of values that a call reads, with texts in pieces of some bytes.
std::uint64_t reading_effort(CostRule rule, std::span<const Value> arguments);

/// The memory that a result takes, in about the same units.
std::uint64_t making_effort(const Value& result, bool is_copy);

}  // namespace sluice::cel
