#pragma once

#include "apiserver/store.hpp"
#include "base/clock.hpp"

#include <chrono>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace sluice::sim {

/// How old events are. They go an hour after they were last written, as `--event-ttl` of
/// kube-apiserver has it, or later: time is only known when something else is to be done.
class EventAges {
  public:
    static constexpr Duration kMost = std::chrono::hours(1);

    void note_written(const apiserver::ObjectName& name) { written_.push_back(name); }
    /// It is now: what was written since the last call was written at this time.
    void date(Time now);
    void note_gone(const apiserver::ObjectName& name) { last_.erase(name); }
    /// Dates, and says which go now; each is told of once.
    std::vector<apiserver::ObjectName> take_old(Time now);

  private:
    std::vector<apiserver::ObjectName> written_;  ///< since the last call
    std::map<apiserver::ObjectName, Time> last_;
    std::deque<std::pair<Time, apiserver::ObjectName>> queue_;  ///< in the order of time
};

}  // namespace sluice::sim
