// The gauges of one object: each report removes the series that it leaves out.
#pragma once

#include "metrics/registry.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace sluice::metrics {

/// Gauges that are reported together again and again, for example those of one queue. A report
/// removes the series of the previous report that it leaves out; a series with an unchanged value
/// costs the registry nothing. A series belongs to one group. *Thread*: one.
class GaugeGroup {
  public:
    /// Starts a report.
    void begin() { ++report_; }
    /// Reports one series between begin() and end(). *Lifetime*: the gauge must outlive the group.
    void set(Gauge& gauge, Labels labels, double value);
    /// Ends a report: removes the series that were not set since begin().
    void end();
    /// Removes all series of the group.
    void clear();
    /// Forgets all series after other code has removed them (another role, a deleted queue). The
    /// next report creates them again.
    void forget() { series_.clear(); }
    bool is_empty() const { return series_.empty(); }

  private:
    struct Reported {
        double value = 0;
        std::uint64_t report = 0;  ///< the last report that set it
    };
    std::map<std::pair<Gauge*, Labels>, Reported> series_;
    std::uint64_t report_ = 0;
};

}  // namespace sluice::metrics
