// Owns coroutines that run in the background: cancels them, waits for them, stops them.
#pragma once

#include "base/clock.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

namespace sluice::net {

/// Owns coroutines that run in the background, so that each has an owner that waits for its end.
/// They must end when they are cancelled. Thread: the executor's.
class TaskGroup {
  public:
    /// `name` precedes the names of the tasks in the log.
    TaskGroup(boost::asio::any_io_executor executor, std::string name);
    /// Requires: the group is empty, or the executor no longer runs.
    ~TaskGroup();
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;

    /// Starts a coroutine. Returns false and does not run it if stop() has begun. An exception that
    /// leaves it is a bug and ends the process.
    bool spawn(boost::asio::awaitable<void> task, std::string name = {});
    /// Cancels all tasks without waiting for them.
    void cancel();
    /// Waits until all tasks have ended. Returns false if cancelled before.
    boost::asio::awaitable<bool> wait();
    /// Refuses new tasks, lets the running ones continue for at most `grace`, then cancels them and
    /// waits for them.
    boost::asio::awaitable<void> stop(Duration grace);

  private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace sluice::net
