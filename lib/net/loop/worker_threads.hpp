// Threads for long work that would block an event loop.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace sluice::net {

/// Threads for long work, so that the requesting loop can serve other coroutines meanwhile. Work
/// begins in the order of its requests. Lifetime: must end before the loops that call run().
class WorkerThreads {
  public:
    /// A function that runs on a worker. It should end soon after a stop is requested. It must own
    /// the data it uses, because the requesting coroutine may end before it.
    using Work = std::function<void(std::stop_token)>;

    /// `name` is the threads' name, as debuggers show it (at most 15 characters).
    WorkerThreads(const std::string& name, std::size_t count);
    /// Asks running work to stop and waits for it; drops work that has not begun.
    ~WorkerThreads();
    WorkerThreads(const WorkerThreads&) = delete;
    WorkerThreads& operator=(const WorkerThreads&) = delete;

    /// Runs the work on a worker and waits for it. Returns false if it never began. Cancellation:
    /// work that has begun is asked to stop and waited for. Thread: any loop's.
    boost::asio::awaitable<bool> run(Work work);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::net
