#include "controller/process/heartbeat.hpp"

#include "net/loop/event_loop.hpp"

#include <algorithm>

namespace sluice::controller {

namespace {

constexpr Duration kBeatPeriod = std::chrono::seconds(1);

}  // namespace

Heartbeat::Heartbeat(const Clock& clock, Duration stall_max)
    : clock_(clock), stall_max_(stall_max) {
    beat();
}

boost::asio::awaitable<void> Heartbeat::keep() {
    for (;;) {
        beat();
        const bool waited = co_await net::pause_for(std::min(kBeatPeriod, stall_max_ / 4));
        if (!waited) {
            co_return;
        }
    }
}

Duration Heartbeat::age() const {
    return clock_.instant() - Instant(Instant::duration(last_.load()));
}

}  // namespace sluice::controller
