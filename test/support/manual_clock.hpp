#pragma once

#include "base/clock.hpp"

#include <chrono>

namespace sluice::test {

/// A clock that stands still until it is moved.
class ManualClock final : public Clock {
  public:
    explicit ManualClock(Time start = Time(std::chrono::seconds(1'800'000'000))) : now_(start) {}
    Time now() const override { return now_; }
    void advance(Duration duration) { now_ += duration; }
    void set(Time time) { now_ = time; }

  private:
    Time now_;
};

}  // namespace sluice::test
