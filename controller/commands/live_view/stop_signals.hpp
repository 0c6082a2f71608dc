// Turns SIGINT and SIGTERM into a stop request.
#pragma once

#include "net/loop/event_loop.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <stop_token>

namespace sluice::commands {

/// Handles SIGINT and SIGTERM while it exists: the first signal requests a stop, the second one
/// restores the terminal and ends the process at once. At most one object may exist.
class StopSignals {
  public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// Returns the token of the stop request; its callbacks run on any thread.
    std::stop_token token() const { return source_.get_token(); }
    /// Requests a stop as a signal does. Thread: any.
    void request_stop() { source_.request_stop(); }

  private:
    boost::asio::awaitable<void> watch();

    std::stop_source source_;
    net::LoopThread thread_;
    std::unique_ptr<net::Signals> signals_;
};

}  // namespace sluice::commands
