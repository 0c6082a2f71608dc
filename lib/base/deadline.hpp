// A point of the monotonic clock by which a network operation must have ended.
#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <chrono>

namespace sluice {

/// A point of the machine's monotonic clock by which an operation must have ended. Use it only to
/// wait on the network: decisions must depend on the Instant of an injected Clock.
class Deadline {
  public:
    /// Returns the deadline that is `limit` away from now.
    static Deadline after(Duration limit) {
        return Deadline(std::chrono::steady_clock::now() + limit);
    }
    /// Returns the earlier of two deadlines.
    static Deadline earlier(Deadline a, Deadline b) { return a.at_ < b.at_ ? a : b; }

    Instant at() const { return at_; }
    bool has_passed() const { return std::chrono::steady_clock::now() >= at_; }
    /// Returns the time until the deadline, never negative.
    Duration remaining() const {
        return std::max<Duration>(at_ - std::chrono::steady_clock::now(), Duration::zero());
    }

  private:
    explicit Deadline(Instant at) : at_(at) {}
    Instant at_;
};

}  // namespace sluice
