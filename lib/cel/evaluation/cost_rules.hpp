// The cost of each call at run time, as the API server counts it.
#pragma once

#include "cel/syntax/overload.hpp"

#include <cstdint>
#include <span>

namespace sluice::cel {

/// Returns the cost of a call. `is_certain`: the types alone decided the overload.
std::uint64_t call_cost(
    CostRule rule, bool is_certain, std::span<const Value> arguments, const Value& result
);

inline constexpr double kCostPerCharacter = 0.1;
inline constexpr double kCostPerPatternCharacter = 0.25;
inline constexpr std::uint64_t kListCost = 10;
inline constexpr std::uint64_t kMapCost = 30;
inline constexpr std::uint64_t kObjectCost = 40;

}  // namespace sluice::cel
