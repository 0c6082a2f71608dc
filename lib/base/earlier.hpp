// Picks the earlier of two optional points in time.
#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <optional>

namespace sluice {

/// Returns the earlier of two points in time. nullopt means never.
template <class T>
std::optional<T> earlier_of(std::optional<T> a, std::optional<T> b) {
    if (!a || !b) {
        return a ? a : b;
    }
    return std::min(*a, *b);
}
inline std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b) {
    return earlier_of(a, b);
}
inline std::optional<Time> earlier(std::optional<Time> a, std::optional<Time> b) {
    return earlier_of(a, b);
}

}  // namespace sluice
