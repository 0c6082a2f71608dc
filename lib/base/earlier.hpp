#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <optional>

namespace sluice {

/// The earlier of two times to wake; none stands for never.
inline std::optional<Time> earlier(std::optional<Time> a, std::optional<Time> b) {
    if (!a || !b) {
        return a ? a : b;
    }
    return std::min(*a, *b);
}

}  // namespace sluice
