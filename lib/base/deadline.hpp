#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <chrono>

namespace sluice {

/// A point of the machine's monotonic clock by which something must have ended. Only for waiting on
/// the network; what is decided depends on the Instant of an injected Clock.
class Deadline {
  public:
    /// The point that is `limit` away from now.
    static Deadline after(Duration limit) {
        return Deadline(std::chrono::steady_clock::now() + limit);
    }
    /// The earlier of the two.
    static Deadline earlier(Deadline a, Deadline b) { return a.at_ < b.at_ ? a : b; }

    Instant at() const { return at_; }
    bool has_passed() const { return std::chrono::steady_clock::now() >= at_; }
    /// What is left, never negative.
    Duration remaining() const {
        return std::max<Duration>(at_ - std::chrono::steady_clock::now(), Duration::zero());
    }

  private:
    explicit Deadline(Instant at) : at_(at) {}
    Instant at_;
};

}  // namespace sluice
