#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <optional>

namespace sluice {

/// The earlier of two instants to wake; none stands for never.
inline std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b) {
    if (!a || !b) {
        return a ? a : b;
    }
    return std::min(*a, *b);
}

}  // namespace sluice
