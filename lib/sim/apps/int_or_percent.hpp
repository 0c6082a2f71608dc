// Resolves values such as `maxSurge: 25%`.
#pragma once

#include "json/value.hpp"

#include <cstdint>

namespace sluice::sim {

enum class Rounding : std::uint8_t { Down, Up };

/// Returns the value of an IntOrString of an update strategy (`maxSurge`, `maxUnavailable`): the
/// number itself, or a percentage of `whole`. Returns 0 for nullptr and malformed values.
/// Percentages are limited to 100,000.
std::int64_t resolve_int_or_percent(
    const json::Value* value, std::int64_t whole, Rounding rounding
);

}  // namespace sluice::sim
