// Answers ConversionReviews, large ones in worker threads.
#pragma once

#include "net/http/http_server.hpp"
#include "net/loop/worker_threads.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace sluice::controller {

/// Limits the bytes of answers that are being made or sent, which are stored in files: many reviews
/// at a time take no more of the node's disk. Thread: any.
class AnswerBudget {
  public:
    /// Also limits a single answer: topology slices of a few bytes may describe very many domains.
    static constexpr std::size_t kBytesMax = std::size_t{512} * 1024 * 1024;

    explicit AnswerBudget(std::size_t bytes_max = kBytesMax) : bytes_max_(bytes_max) {}
    /// Returns false if that many bytes are not available.
    bool take(std::size_t bytes) {
        const std::size_t before = taken_.fetch_add(bytes);
        if (before + bytes <= bytes_max_) {
            return true;
        }
        taken_ -= bytes;
        return false;
    }
    void give_back(std::size_t bytes) { taken_ -= bytes; }
    std::size_t bytes_max() const { return bytes_max_; }

  private:
    std::size_t bytes_max_;
    std::atomic<std::size_t> taken_ = 0;
};

/// Answers a ConversionReview with its objects converted: a small review at once, a large one on a
/// worker, so that other requests are served meanwhile. Lifetime: the workers must outlive this
/// object. Thread: that of the server.
class ConversionHandler final : public net::HttpHandler {
  public:
    explicit ConversionHandler(
        net::WorkerThreads& workers,
        std::shared_ptr<AnswerBudget> budget = std::make_shared<AnswerBudget>()
    )
        : workers_(workers), budget_(std::move(budget)) {}
    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override;

  private:
    net::WorkerThreads& workers_;
    std::shared_ptr<AnswerBudget> budget_;  // a worker may outlive this object
};

}  // namespace sluice::controller
