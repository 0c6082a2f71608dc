#include "sim/event_ages.hpp"

namespace sluice::sim {

void EventAges::date(Time now) {
    for (const apiserver::ObjectName& name : std::exchange(written_, {})) {
        last_[name] = now;
        queue_.emplace_back(now, name);
    }
}

std::vector<apiserver::ObjectName> EventAges::take_old(Time now) {
    date(now);
    std::vector<apiserver::ObjectName> old;
    for (; !queue_.empty() && queue_.front().first + kMost <= now; queue_.pop_front()) {
        const auto& [time, name] = queue_.front();
        const auto last = last_.find(name);
        // Written again later, or gone.
        if (last != last_.end() && last->second == time) {
            old.push_back(name);
            last_.erase(last);
        }
    }
    return old;
}

}  // namespace sluice::sim
