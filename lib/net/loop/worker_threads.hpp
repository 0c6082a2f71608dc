#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace sluice::net {

/// Threads for work that takes long, so that the loop that asks for it serves others meanwhile.
/// Work is begun in the order it came. Lifetime: must end before the loops that call run().
class WorkerThreads {
  public:
    /// What is done on a worker; it should end soon once a stop is requested. It owns what it uses:
    /// the coroutine that asked for it may be gone before it ends.
    using Work = std::function<void(std::stop_token)>;

    /// The name is that of the threads, as debuggers show it (15 characters).
    WorkerThreads(const std::string& name, std::size_t count);
    /// Asks running work to stop and waits for it; what was not begun is dropped.
    ~WorkerThreads();
    WorkerThreads(const WorkerThreads&) = delete;
    WorkerThreads& operator=(const WorkerThreads&) = delete;

    /// Has the work done and waits for it; false when it never began. Cancellation: work that was
    /// begun is asked to stop and waited for. Thread: any loop's.
    boost::asio::awaitable<bool> run(Work work);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::net
