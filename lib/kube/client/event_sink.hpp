#pragma once

#include "base/clock.hpp"
#include "kube/client/client.hpp"
#include "kube/runtime/event_recorder.hpp"
#include "net/event_loop.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>

namespace sluice::kube {

/// Records events and writes them beside everything else; an event that cannot be written is logged
/// and dropped, for no decision may wait for it. Lifetime: client and clock must outlive it.
class EventSink {
  public:
    EventSink(
        Client& client,
        const Clock& clock,
        boost::asio::any_io_executor executor,
        EventRecorderOptions options,
        std::uint64_t seed
    );
    /// Never waits.
    void record(const EventNote& note);
    /// Writes what is recorded until cancelled.
    boost::asio::awaitable<void> run();
    /// Writes what is still queued; for an orderly end, under the caller's timeout.
    boost::asio::awaitable<void> flush();

  private:
    boost::asio::awaitable<void> write(EventRecorder::Write write);

    Client& client_;
    const Clock& clock_;
    EventRecorder recorder_;
    net::Notifier recorded_;
};

}  // namespace sluice::kube
