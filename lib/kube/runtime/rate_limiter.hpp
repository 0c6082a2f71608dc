#pragma once

#include "base/clock.hpp"

#include <optional>

namespace sluice::kube {

/// A token bucket: on average `qps` calls a second, `burst` at once. A negative or zero qps
/// switches it off.
class RateLimiter {
  public:
    RateLimiter(double qps, int burst);
    /// Takes a token and says when the call may go: `now`, or later when the bucket is empty. Calls
    /// go in the order in which they asked. Nothing, and no token is taken, when the call would
    /// have to wait for `wait_max` or longer.
    std::optional<Instant> reserve(Instant now, Duration wait_max = Duration::max());
    bool is_enabled() const { return qps_ > 0; }

  private:
    double qps_;
    double burst_;
    double tokens_;  // may be negative: tokens promised to calls that wait
    Instant updated_{};
};

}  // namespace sluice::kube
