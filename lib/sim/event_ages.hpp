#pragma once

#include "apiserver/state/store.hpp"
#include "base/clock.hpp"

#include <chrono>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace sluice::sim {

/// How old events are. They go an hour after they were last written, as `--event-ttl` of
/// kube-apiserver has it, or later: time is only known when something else is to be done.
class EventAges {
  public:
    static constexpr Duration kMost = std::chrono::hours(1);

    void note_written(const apiserver::ObjectName& name) { written_.insert(name); }
    void note_gone(const apiserver::ObjectName& name);
    /// It is now: what was written since the last call was written at this time.
    void date(Time now);
    /// Dates, and says which go now.
    std::vector<apiserver::ObjectName> take_old(Time now);

  private:
    std::set<apiserver::ObjectName> written_;  ///< since the last call
    std::map<apiserver::ObjectName, Time> last_;
    std::set<std::pair<Time, apiserver::ObjectName>> by_time_;  ///< the same
};

}  // namespace sluice::sim
