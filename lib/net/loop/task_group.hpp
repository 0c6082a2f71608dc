#pragma once

#include "base/clock.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace sluice::net {

/// Owns coroutines that run beside their parent, so that none is left alone. They are expected to
/// end when they are cancelled. Thread: the executor's.
class TaskGroup {
  public:
    /// The name goes before those of the tasks in the log.
    TaskGroup(boost::asio::any_io_executor executor, std::string name);
    /// Requires: empty, or the executor runs no more.
    ~TaskGroup();
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;

    /// Starts a coroutine; false (and it never runs) after stop() has begun. An exception that
    /// leaves it is a bug and ends the process.
    bool spawn(boost::asio::awaitable<void> task, std::string name = {});
    /// Cancels all tasks now without waiting for them.
    void cancel();
    std::size_t size() const;
    /// Waits until no task is left; false when cancelled before.
    boost::asio::awaitable<bool> wait();
    /// Refuses new tasks, lets the others run for `grace` at most, then cancels them and waits for
    /// them.
    boost::asio::awaitable<void> stop(Duration grace);

  private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace sluice::net
