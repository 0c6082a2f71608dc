#pragma once

#include "json/value.hpp"

#include <cstdint>

namespace sluice::sim {

enum class Rounding : std::uint8_t { Down, Up };

/// What an IntOrString of an update strategy (`maxSurge`, `maxUnavailable`) means: the number
/// itself, or so many percent of `whole`. 0 for nullptr and what is neither. Percentages count up
/// to 100,000.
std::int64_t resolve_int_or_percent(
    const json::Value* value, std::int64_t whole, Rounding rounding
);

}  // namespace sluice::sim
