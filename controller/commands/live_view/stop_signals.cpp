#include "controller/commands/live_view/stop_signals.hpp"

#include "controller/commands/live_view/terminal.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <csignal>

namespace sluice::commands {

namespace asio = boost::asio;

StopSignals::StopSignals()
    : thread_("signals"),
      signals_(std::make_unique<net::Signals>(
          thread_.loop().executor(), std::initializer_list<int>{SIGINT, SIGTERM}
      )) {
    asio::co_spawn(thread_.loop().executor(), watch(), asio::detached);
}

StopSignals::~StopSignals() {
    thread_.join();
}

asio::awaitable<void> StopSignals::watch() {
    const int first = co_await signals_->next();
    if (first == 0) {
        co_return;
    }
    source_.request_stop();
    const int second = co_await signals_->next();
    if (second != 0) {
        Terminal::die(second);
    }
}

}  // namespace sluice::commands
