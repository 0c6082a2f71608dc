#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::bench {

/// What operator new of this program has given out.
struct Allocations {
    std::uint64_t count = 0;  ///< since the start
    std::size_t live = 0;     ///< bytes not given back yet, as malloc rounds them up
};
Allocations allocations();

}  // namespace sluice::bench
