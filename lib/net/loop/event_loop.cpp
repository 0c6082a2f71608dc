#include "net/loop/event_loop.hpp"

#include "base/assert.hpp"
#include "net/loop/loop_timer.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <future>
#include <pthread.h>
#include <thread>
#include <utility>

namespace sluice::net {
namespace asio = boost::asio;
namespace {

void end_process_on_exception(const std::exception_ptr& failure) {
    if (failure) {
        std::terminate();
    }
}

}  // namespace

class EventLoop::Impl {
  public:
    asio::io_context context{1};
};

EventLoop::EventLoop() : impl_(std::make_unique<Impl>()) {}
EventLoop::~EventLoop() = default;

asio::any_io_executor EventLoop::executor() {
    return impl_->context.get_executor();
}

void EventLoop::run() {
    const auto guard = asio::make_work_guard(impl_->context);
    impl_->context.run();
}

bool EventLoop::run_until_idle(Duration limit) {
    impl_->context.restart();
    impl_->context.run_for(limit);
    return impl_->context.stopped();
}

bool EventLoop::run_ready() {
    impl_->context.restart();
    return impl_->context.poll() > 0;
}

void EventLoop::stop() {
    impl_->context.stop();
}

void EventLoop::post(std::function<void()> function) {
    asio::post(impl_->context, std::move(function));
}

class LoopThread::Impl {
  public:
    EventLoop loop;
    std::thread thread;
};

LoopThread::LoopThread(const std::string& name) : impl_(std::make_unique<Impl>()) {
    impl_->thread = std::thread([impl = impl_.get()] { impl->loop.run(); });
    pthread_setname_np(impl_->thread.native_handle(), name.substr(0, 15).c_str());
}

LoopThread::~LoopThread() {
    join();
}

EventLoop& LoopThread::loop() {
    return impl_->loop;
}

void LoopThread::join() {
    impl_->loop.stop();
    if (impl_->thread.joinable()) {
        impl_->thread.join();
    }
}

void run_on(EventLoop& loop, asio::awaitable<void> work) {
    std::promise<void> ended;
    asio::co_spawn(loop.executor(), std::move(work), [&ended](const std::exception_ptr& failure) {
        end_process_on_exception(failure);
        ended.set_value();
    });
    ended.get_future().wait();
}

asio::awaitable<bool> pause_for(Duration duration) {
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto cancelled = co_await is_cancelled();
    if (cancelled) {
        co_return false;
    }
    const auto executor = co_await asio::this_coro::executor;
    LoopTimer timer(executor);
    timer.set(duration);
    co_return co_await timer.wait();
}

asio::awaitable<bool> is_cancelled() {
    const auto state = co_await asio::this_coro::cancellation_state;
    co_return state.cancelled() != asio::cancellation_type::none;
}

class Signals::Impl {
  public:
    explicit Impl(const asio::any_io_executor& executor) : set(executor) {}
    asio::signal_set set;
};

Signals::Signals(const asio::any_io_executor& executor, std::initializer_list<int> numbers)
    : impl_(std::make_unique<Impl>(executor)) {
    for (const int number : numbers) {
        boost::system::error_code ignored;
        // NOLINTNEXTLINE(bugprone-unused-return-value): it says the same as the code
        impl_->set.add(number, ignored);
        SLUICE_ASSERT(!ignored);
    }
}

Signals::~Signals() = default;

asio::awaitable<int> Signals::next() {
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto [error, number] =
        co_await impl_->set.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return error ? 0 : number;
}

class Notifier::Impl {
  public:
    explicit Impl(const asio::any_io_executor& executor) : timer(executor) {}
    LoopTimer timer;
    bool notified = false;
    bool waiting = false;
};

Notifier::Notifier(const asio::any_io_executor& executor)
    : impl_(std::make_unique<Impl>(executor)) {}
Notifier::~Notifier() = default;

void Notifier::notify() {
    impl_->notified = true;
    if (impl_->waiting) {
        impl_->timer.cancel();
    }
}

asio::awaitable<bool> Notifier::wait(std::optional<Duration> limit) {
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto cancelled = co_await is_cancelled();
    if (!impl_->notified && !cancelled) {
        SLUICE_ASSERT(!impl_->waiting);
        impl_->waiting = true;
        impl_->timer.set(limit);
        co_await impl_->timer.wait();
        impl_->waiting = false;
    }
    co_return std::exchange(impl_->notified, false);
}

}  // namespace sluice::net
