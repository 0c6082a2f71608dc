// A clock that a test moves by hand, for all waits of its thread.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace sluice::net {

/// A clock that does not advance until it is moved. While it exists, every wait of the coroutines
/// on its thread (pause_for(), Notifier, with_timeout(), LoopTimer) ends only when the clock is
/// moved. Waits end in the order of their due times, and waits with the same due time in the order
/// in which they began. Socket deadlines still use the machine's clock. Thread: the one that
/// created it; at most one for each thread.
class VirtualTime final : public Clock {
  public:
    explicit VirtualTime(Time start);
    ~VirtualTime() override;

    /// Returns the virtual time of the calling thread, or nullptr.
    static VirtualTime* of_this_thread();

    Time now() const override { return now_; }
    Instant instant() const override { return instant_; }
    /// Returns when the next wait ends; nullopt if nothing waits.
    std::optional<Time> next() const;
    /// Moves to the end of the next wait, but not beyond `limit`, and ends the waits that are due.
    /// Run the loop afterwards. Requires: `limit` is not in the past.
    void move(Time limit);

    /// A wait's due time, and its number among all waits.
    using Ticket = std::pair<Instant, std::uint64_t>;
    /// Adds a wait. move() calls `on_due` once, unless the wait is dropped before.
    Ticket add(Duration wait, std::function<void()> on_due);
    /// Removes a wait that has not ended.
    void drop(const Ticket& ticket);

  private:
    Time now_;
    Instant instant_;
    std::uint64_t count_ = 0;
    std::map<Ticket, std::function<void()>> waits_;
};

/// Returns the present time of the monotonic clock that this thread's coroutines wait by.
Instant loop_now();

}  // namespace sluice::net
