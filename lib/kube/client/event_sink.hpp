#pragma once

#include "base/clock.hpp"
#include "kube/client/client.hpp"
#include "kube/runtime/event_recorder.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <set>
#include <string>

namespace sluice::kube {

/// Records events and writes them beside everything else, several at a time and those of one Event
/// in order. An event that cannot be written is logged and dropped, for no decision may wait for
/// it; of those that came too fast the log has the number. While `may_write` says no, as it does
/// when the lease is lost, nothing is written. Lifetime: client and clock must outlive it.
class EventSink {
  public:
    EventSink(
        Client& client,
        const Clock& clock,
        const boost::asio::any_io_executor& executor,
        EventRecorderOptions options,
        std::uint64_t seed,
        std::function<bool()> may_write = [] { return true; }
    );
    /// Never waits.
    void record(const EventNote& note);
    /// Writes what is recorded until cancelled.
    boost::asio::awaitable<void> run();
    /// Writes what is still queued; for an orderly end, under the caller's timeout.
    boost::asio::awaitable<void> flush();
    /// How many were dropped since the start because they came too fast.
    std::uint64_t dropped() const { return recorder_.dropped(); }

  private:
    /// Begins as many writes as there may be at a time.
    void begin_writes(net::TaskGroup* tasks);
    void tell_dropped();
    boost::asio::awaitable<void> perform(EventRecorder::Write write);
    boost::asio::awaitable<void> write(EventRecorder::Write write);

    Client& client_;
    const Clock& clock_;
    std::function<bool()> may_write_;
    EventRecorder recorder_;
    boost::asio::any_io_executor executor_;
    std::set<std::string> under_way_;  ///< names of Events that are written just now
    net::Notifier changed_;            ///< something was recorded, or a write has ended
    net::Notifier write_ended_;        ///< for flush()
};

}  // namespace sluice::kube
