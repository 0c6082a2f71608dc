#pragma once

#include "apiserver/state/store.hpp"
#include "base/clock.hpp"

#include <map>
#include <utility>

namespace sluice::whole_system {

/// Finds objects that are written in a loop: `limit` writes of one object within `time`.
class WriteLoops {
  public:
    WriteLoops(int limit, Duration time) : limit_(limit), time_(time) {}

    /// Counts a write of the object. Returns true once for each loop, at the write that reaches the
    /// limit.
    bool count_write(
        const apiserver::Collection& collection, const apiserver::ObjectName& name, Time now
    ) {
        Writes& writes = writes_[{collection, name}];
        if (now - writes.since > time_) {
            writes = {.since = now, .count = 0};
        }
        return ++writes.count == limit_;
    }

    /// Counts the writes of the object from nothing.
    void forget(const apiserver::Collection& collection, const apiserver::ObjectName& name) {
        writes_.erase({collection, name});
    }

  private:
    struct Writes {
        Time since{};
        int count = 0;
    };

    int limit_;
    Duration time_;
    std::map<std::pair<apiserver::Collection, apiserver::ObjectName>, Writes> writes_;
};

}  // namespace sluice::whole_system
