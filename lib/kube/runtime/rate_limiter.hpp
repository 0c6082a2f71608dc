// A token bucket that limits the rate of a client's calls.
#pragma once

#include "base/clock.hpp"

#include <optional>

namespace sluice::kube {

/// A token bucket: on average `qps` calls a second, and up to `burst` at once. If qps is zero or
/// negative, the limit is off.
class RateLimiter {
  public:
    RateLimiter(double qps, int burst);
    /// Takes a token and returns the time at which the call may start: `now`, or later if the
    /// bucket is empty. Calls start in the order of their reservations. Returns nullopt and takes
    /// no token if the call would have to wait for `wait_max` or longer.
    std::optional<Instant> reserve(Instant now, Duration wait_max = Duration::max());
    bool is_enabled() const { return qps_ > 0; }

  private:
    double qps_;
    double burst_;
    double tokens_;  // negative if tokens are promised to waiting calls
    Instant updated_{};
};

}  // namespace sluice::kube
