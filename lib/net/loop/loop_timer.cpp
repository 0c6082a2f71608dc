#include "net/loop/loop_timer.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>

namespace sluice::net {
namespace asio = boost::asio;

LoopTimer::~LoopTimer() {
    drop();
}

void LoopTimer::set(std::optional<Duration> wait) {
    drop();
    is_due_ = false;
    virtual_ = VirtualTime::of_this_thread();
    if (!wait || virtual_ != nullptr) {
        timer_.expires_at(asio::steady_timer::time_point::max());
    } else {
        timer_.expires_after(std::chrono::duration_cast<asio::steady_timer::duration>(*wait));
    }
    if (wait && virtual_ != nullptr) {
        ticket_ = virtual_->add(*wait, [this] {
            ticket_.reset();
            is_due_ = true;
            timer_.cancel();
        });
    }
}

asio::awaitable<bool> LoopTimer::wait() {
    co_await asio::this_coro::throw_if_cancelled(false);
    if (is_due_) {
        co_return true;
    }
    const auto [error] = co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    drop();
    co_return !error || is_due_;
}

void LoopTimer::cancel() {
    drop();
    timer_.cancel();
}

void LoopTimer::drop() {
    if (ticket_) {
        virtual_->drop(*ticket_);
        ticket_.reset();
    }
}

}  // namespace sluice::net
