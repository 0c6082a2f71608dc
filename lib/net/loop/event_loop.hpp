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

/// One thread's worth of asynchronous work: everything spawned on a loop runs one piece at a time,
/// so what only one loop touches needs no lock.
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
    /// Runs until nothing is left to do or `limit` has passed; whether nothing was left.
    bool run_until_idle(Duration limit);
    /// Runs what can go on without waiting; whether there was anything. For VirtualTime.
    bool run_ready();
    /// Makes run() return soon. Thread: any.
    void stop();
    /// Calls the function on the loop's thread. Thread: any.
    void post(std::function<void()> function);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// A loop on a thread of its own, which ends with this object.
class LoopThread {
  public:
    /// The name is that of the thread, as debuggers show it (15 characters).
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

/// Runs a coroutine on the loop's thread and waits for it on this one. Requires: not called on the
/// loop's thread. For shutting down from outside.
void run_on(EventLoop& loop, boost::asio::awaitable<void> work);

/// Waits; false when it was cancelled.
boost::asio::awaitable<bool> pause_for(Duration duration);

/// Whether the coroutine that asks has been cancelled; long loops ask between steps.
boost::asio::awaitable<bool> is_cancelled();

/// Takes signals of the process, for example SIGTERM, in place of what they do by default. One that
/// comes while no coroutine waits is kept. Thread: the executor's.
class Signals {
  public:
    Signals(const boost::asio::any_io_executor& executor, std::initializer_list<int> numbers);
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    /// Waits for the next one; its number, or 0 when cancelled.
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
    /// Waits until notified, or for `limit` at most; true when notified. Requires: one waits at a
    /// time.
    boost::asio::awaitable<bool> wait(std::optional<Duration> limit = std::nullopt);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::net
