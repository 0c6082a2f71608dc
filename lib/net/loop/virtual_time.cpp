#include "net/loop/virtual_time.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <chrono>

namespace sluice::net {

namespace {

thread_local VirtualTime* current = nullptr;

}  // namespace

VirtualTime::VirtualTime(Time start) : now_(start), instant_(std::chrono::hours(1)) {
    SLUICE_ASSERT(current == nullptr);
    current = this;
}

VirtualTime::~VirtualTime() {
    current = nullptr;
}

VirtualTime* VirtualTime::of_this_thread() {
    return current;
}

std::optional<Time> VirtualTime::next() const {
    if (waits_.empty()) {
        return std::nullopt;
    }
    return now_ + std::max<Duration>(waits_.begin()->first.first - instant_, Duration::zero());
}

void VirtualTime::move(Time limit) {
    SLUICE_ASSERT(limit >= now_);
    const Duration step = std::min(next().value_or(limit), limit) - now_;
    now_ += step;
    instant_ += step;
    // A wait that begins during this move waits for the next one, so that waits of zero length end
    // too.
    const std::uint64_t begun = count_;
    for (auto at = waits_.begin(); at != waits_.end() && at->first.first <= instant_;) {
        if (at->first.second >= begun) {
            ++at;
            continue;
        }
        const Ticket ticket = at->first;
        const auto on_due = std::move(at->second);
        waits_.erase(at);
        on_due();
        at = waits_.upper_bound(ticket);
    }
}

VirtualTime::Ticket VirtualTime::add(Duration wait, std::function<void()> on_due) {
    // Longer than any test, and small enough not to overflow.
    constexpr Duration kLongest = std::chrono::hours(24 * 365 * 100);
    const Ticket ticket{
        instant_ + std::clamp<Duration>(wait, Duration::zero(), kLongest), count_++
    };
    waits_.emplace(ticket, std::move(on_due));
    return ticket;
}

void VirtualTime::drop(const Ticket& ticket) {
    waits_.erase(ticket);
}

Instant loop_now() {
    return current == nullptr ? SystemClock().instant() : current->instant();
}

}  // namespace sluice::net
