#include "controller/process/webhooks/measured_handler.hpp"

#include <chrono>
#include <utility>

namespace sluice::controller {

namespace {

constexpr int kSucceeded = 200;

}  // namespace

/// Counts a request as in flight while it exists.
class MeasuredHandler::InFlight {
  public:
    explicit InFlight(MeasuredHandler& handler) : handler_(handler) { add(1); }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;
    ~InFlight() { add(-1); }

  private:
    void add(double count) {
        handler_.metrics_.controller_runtime_webhook_requests_in_flight.add(
            handler_.webhook_, count
        );
    }

    MeasuredHandler& handler_;
};

MeasuredHandler::MeasuredHandler(
    std::shared_ptr<net::HttpHandler> handler,
    const std::string& path,
    metrics::RuntimeMetrics& metrics,
    const Clock& clock
)
    : handler_(std::move(handler)),
      metrics_(metrics),
      clock_(clock),
      webhook_{path},
      succeeded_{std::to_string(kSucceeded), path} {
    metrics_.controller_runtime_webhook_requests_in_flight.set(webhook_, 0);
    metrics_.controller_runtime_webhook_requests_total.touch(succeeded_);
    metrics_.controller_runtime_webhook_requests_total.touch({"500", path});
}

boost::asio::awaitable<net::ServerResponse> MeasuredHandler::handle(net::ServerRequest request) {
    const InFlight counted(*this);
    const Instant begin = clock_.instant();
    auto response = co_await handler_->handle(std::move(request));
    const std::chrono::duration<double> took = clock_.instant() - begin;
    metrics_.controller_runtime_webhook_latency_seconds.observe(webhook_, took.count());
    auto& total = metrics_.controller_runtime_webhook_requests_total;
    if (response.status == kSucceeded) {
        total.add(succeeded_);
    } else {
        total.add({std::to_string(response.status), webhook_.front()});
    }
    co_return response;
}

}  // namespace sluice::controller
