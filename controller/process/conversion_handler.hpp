#pragma once

#include "net/http_server.hpp"
#include "net/worker_threads.hpp"

#include <cstddef>

namespace sluice::controller {

/// Answers a ConversionReview with its objects converted: a small review at once, a
/// large one on a worker, so that others are served meanwhile. Lifetime: the workers must outlive
/// it. Thread: that of the server.
class ConversionHandler final : public net::HttpHandler {
  public:
    explicit ConversionHandler(net::WorkerThreads& workers) : workers_(workers) {}
    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override;
    /// Reviews that workers convert or that wait for one.
    std::size_t at_work() const { return at_work_; }

  private:
    net::WorkerThreads& workers_;
    std::size_t at_work_ = 0;
};

}  // namespace sluice::controller
