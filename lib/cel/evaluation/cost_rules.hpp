#pragma once

#include "cel/syntax/overload.hpp"

#include <cstdint>
#include <span>

namespace sluice::cel {

/// What a call costs. `is_certain`: the types alone decided which overload it is.
std::uint64_t call_cost(
    CostRule rule, bool is_certain, std::span<const Value> arguments, const Value& result
);

inline constexpr double kCostPerCharacter = 0.1;
inline constexpr double kCostPerPatternCharacter = 0.25;
inline constexpr std::uint64_t kListCost = 10;
inline constexpr std::uint64_t kMapCost = 30;
inline constexpr std::uint64_t kObjectCost = 40;

}  // namespace sluice::cel
