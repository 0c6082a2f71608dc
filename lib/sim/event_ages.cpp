#include "sim/event_ages.hpp"

namespace sluice::sim {

void EventAges::note_gone(const apiserver::ObjectName& name) {
    written_.erase(name);
    if (const auto last = last_.find(name); last != last_.end()) {
        by_time_.erase({last->second, name});
        last_.erase(last);
    }
}

void EventAges::date(Time now) {
    for (const apiserver::ObjectName& name : std::exchange(written_, {})) {
        note_gone(name);
        last_[name] = now;
        by_time_.emplace(now, name);
    }
}

std::vector<apiserver::ObjectName> EventAges::take_old(Time now) {
    date(now);
    std::vector<apiserver::ObjectName> old;
    while (!by_time_.empty() && by_time_.begin()->first + kMost <= now) {
        old.push_back(by_time_.begin()->second);
        note_gone(old.back());
    }
    return old;
}

}  // namespace sluice::sim
