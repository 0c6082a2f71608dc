#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace sluice::net {

/// Time that stands still until it is moved. While it lives, every wait of coroutines on its thread
/// (pause_for(), Notifier, with_timeout(), LoopTimer) ends when it is moved there, in the order of
/// the moments and, of one moment, in the order in which the waits began. Deadlines of sockets are
/// the machine's. Thread: its own; one at a time on each.
class VirtualTime final : public Clock {
  public:
    explicit VirtualTime(Time start);
    ~VirtualTime() override;

    /// That of the calling thread, or nullptr.
    static VirtualTime* of_this_thread();

    Time now() const override { return now_; }
    Instant instant() const override { return instant_; }
    /// When the next wait ends, if any does.
    std::optional<Time> next() const;
    /// Moves to that moment, but not beyond `limit`, and ends what has come due. Lets the loop run
    /// then. Requires: `limit` is not in the past.
    void move(Time limit);

    /// A wait by its moment and its place among those of the same moment.
    using Ticket = std::pair<Instant, std::uint64_t>;
    /// `on_due` is called from move(), once, unless the wait is dropped before.
    Ticket add(Duration wait, std::function<void()> on_due);
    void drop(const Ticket& ticket);

  private:
    Time now_;
    Instant instant_;
    std::uint64_t count_ = 0;
    std::map<Ticket, std::function<void()>> waits_;
};

/// The monotonic clock by which coroutines of this thread wait.
Instant loop_now();

}  // namespace sluice::net
