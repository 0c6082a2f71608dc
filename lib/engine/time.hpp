#pragma once

#include <chrono>

namespace sluice::engine {

/// Wall-clock time in UTC; the same type as sluice::Time, named here because the engine sees std
/// alone.
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

}  // namespace sluice::engine
