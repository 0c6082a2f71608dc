#pragma once

#include "metrics/registry.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace sluice::metrics {

/// Gauges that are reported together time and again, for example those of one queue: what a report
/// leaves out of what the one before said is removed, and what it says again unchanged costs the
/// registry nothing. A series belongs to one group. Thread: one.
class GaugeGroup {
  public:
    void begin() { ++report_; }
    /// Between begin() and end(). Lifetime: the gauge must outlive the group.
    void set(Gauge& gauge, Labels labels, double value);
    void end();
    /// Removes all its series.
    void clear();
    /// All its series were removed by others (another role, a queue that is gone): the next report
    /// makes them anew.
    void forget() { series_.clear(); }
    bool is_empty() const { return series_.empty(); }

  private:
    struct Reported {
        double value = 0;
        std::uint64_t report = 0;  ///< the last that said it
    };
    std::map<std::pair<Gauge*, Labels>, Reported> series_;
    std::uint64_t report_ = 0;
};

}  // namespace sluice::metrics
