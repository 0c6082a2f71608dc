// Records Events and writes them to the API server in the background.
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

/// Records events and writes them in the background, several at a time but the writes of one Event
/// in order. An event that cannot be written is logged and dropped, because no decision may wait
/// for it. If events come too fast, the number of dropped ones is logged. While `may_write` returns
/// false, as after the lease is lost, nothing is written. Lifetime: client and clock must outlive
/// this object.
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
    /// Records an event. Never waits.
    void record(const EventNote& note);
    /// Writes recorded events until cancelled.
    boost::asio::awaitable<void> run();
    /// Writes the events that are still queued. For an orderly shutdown; the caller limits the
    /// time.
    boost::asio::awaitable<void> flush();
    /// The number of events dropped since the start because they came too fast.
    std::uint64_t dropped() const { return recorder_.dropped(); }

  private:
    /// Begins as many writes as may run at the same time.
    void begin_writes(net::TaskGroup* tasks);
    void log_dropped();
    boost::asio::awaitable<void> perform(EventRecorder::Write write);
    boost::asio::awaitable<void> write(EventRecorder::Write write);

    Client& client_;
    const Clock& clock_;
    std::function<bool()> may_write_;
    EventRecorder recorder_;
    boost::asio::any_io_executor executor_;
    std::set<std::string> under_way_;  ///< names of Events that are being written
    net::Notifier changed_;            ///< an event was recorded, or a write has ended
    net::Notifier write_ended_;        ///< for flush()
};

}  // namespace sluice::kube
