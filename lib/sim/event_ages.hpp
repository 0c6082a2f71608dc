// Finds events that expire, an hour after they were last written.
#pragma once

#include "apiserver/state/store.hpp"
#include "base/clock.hpp"

#include <chrono>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace sluice::sim {

/// Records the age of events. An event expires one hour after it was last written, like with
/// `--event-ttl` of kube-apiserver, or later: the time is only known when something else happens.
class EventAges {
  public:
    /// Lifetime of an event after its last write.
    static constexpr Duration kMost = std::chrono::hours(1);

    /// Records that the event was created or changed.
    void note_written(const apiserver::ObjectName& name) { written_.insert(name); }
    /// Records that the event was deleted.
    void note_gone(const apiserver::ObjectName& name);
    /// Sets the current time: events written since the last call get this time.
    void date(Time now);
    /// Sets the current time, and returns and forgets the events that expire.
    std::vector<apiserver::ObjectName> take_old(Time now);

  private:
    std::set<apiserver::ObjectName> written_;  ///< since the last call of date()
    std::map<apiserver::ObjectName, Time> last_;
    std::set<std::pair<Time, apiserver::ObjectName>> by_time_;  ///< the entries of last_, by time
};

}  // namespace sluice::sim
