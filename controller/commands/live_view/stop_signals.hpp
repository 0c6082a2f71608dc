#pragma once

#include "net/loop/event_loop.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <stop_token>

namespace sluice::commands {

/// What SIGINT and SIGTERM do while it lives: the first one asks the process to stop, the second
/// one ends it at once, with the terminal given back. There is one at a time.
class StopSignals {
  public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// Tells whether the process is to stop, and calls back when it is, on any thread.
    std::stop_token token() const { return source_.get_token(); }
    /// Asks for it as a signal does. Thread: any.
    void request_stop() { source_.request_stop(); }

  private:
    boost::asio::awaitable<void> watch();

    std::stop_source source_;
    net::LoopThread thread_;
    std::unique_ptr<net::Signals> signals_;
};

}  // namespace sluice::commands
