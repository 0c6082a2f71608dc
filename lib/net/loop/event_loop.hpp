// The event loop of a thread, and what its coroutines wait for: time, signals, notifications.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::net {

/// Asynchronous work on one thread. Everything spawned on a loop runs one piece at a time, so that
/// data used by only one loop needs no lock.
class EventLoop {
  public:
    EventLoop();
    ~EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    boost::asio::any_io_executor executor();
    /// Runs on the calling thread until stop() is called. An exception that leaves a handler is a
    /// bug and ends the process.
    void run();
    /// Runs until no work is left or `limit` has passed. Returns true if no work was left.
    bool run_until_idle(Duration limit);
    /// Runs all work that is ready without waiting. Returns true if any was. For VirtualTime.
    bool run_ready();
    /// Makes run() return soon. Thread: any.
    void stop();
    /// Calls the function on the loop's thread. Thread: any.
    void post(std::function<void()> function);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// A loop on a separate thread, which ends with this object.
class LoopThread {
  public:
    /// `name` is the thread's name, as debuggers show it (at most 15 characters).
    explicit LoopThread(const std::string& name);
    ~LoopThread();
    LoopThread(const LoopThread&) = delete;
    LoopThread& operator=(const LoopThread&) = delete;
    EventLoop& loop();
    /// Stops the loop and waits for its thread.
    void join();

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Runs a coroutine on the loop's thread and waits for it on this thread. For shutting down from
/// outside. Requires: not called on the loop's thread.
void run_on(EventLoop& loop, boost::asio::awaitable<void> work);

/// Waits for the duration. Returns false if cancelled.
boost::asio::awaitable<bool> pause_for(Duration duration);

/// Returns true if the calling coroutine has been cancelled. Long loops check it between steps.
boost::asio::awaitable<bool> is_cancelled();

/// Receives signals of the process, for example SIGTERM, instead of their default action. A signal
/// that arrives while no coroutine waits is kept. Thread: the executor's.
class Signals {
  public:
    Signals(const boost::asio::any_io_executor& executor, std::initializer_list<int> numbers);
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    /// Waits for the next signal. Returns its number, or 0 if cancelled.
    boost::asio::awaitable<int> next();

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Wakes one waiting coroutine. A call of notify() while no coroutine waits is remembered (once).
/// Thread: the loop's.
class Notifier {
  public:
    explicit Notifier(const boost::asio::any_io_executor& executor);
    ~Notifier();
    Notifier(const Notifier&) = delete;
    Notifier& operator=(const Notifier&) = delete;
    void notify();
    /// Waits until notified, or at most for `limit`. Returns true if notified. Requires: one
    /// coroutine waits at a time.
    boost::asio::awaitable<bool> wait(std::optional<Duration> limit = std::nullopt);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::net
