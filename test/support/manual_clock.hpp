#pragma once

#include "base/clock.hpp"

#include <chrono>

namespace sluice::test {

/// A clock that stands still until it is moved.
class ManualClock final : public Clock {
  public:
    explicit ManualClock(Time start = Time(std::chrono::seconds(1'800'000'000))) : now_(start) {}
    Time now() const override { return now_; }
    Instant instant() const override { return instant_; }
    /// Time passes.
    void advance(Duration duration) {
        now_ += duration;
        instant_ += duration;
    }
    /// The wall clock is set, as by NTP; no time passes.
    void step_wall(Duration by) { now_ += by; }

  private:
    Time now_;
    Instant instant_ = Instant(std::chrono::hours(100));
};

}  // namespace sluice::test
