// Counts and times the requests of a webhook.
#pragma once

#include "base/clock.hpp"
#include "metrics/runtime_metrics.hpp"
#include "net/http/http_server.hpp"

#include <memory>
#include <string>

namespace sluice::controller {

/// Counts and times the responses of another handler, for the webhook metrics of one path.
/// Lifetime: metrics and clock must outlive this object.
class MeasuredHandler final : public net::HttpHandler {
  public:
    MeasuredHandler(
        std::shared_ptr<net::HttpHandler> handler,
        const std::string& path,
        metrics::RuntimeMetrics& metrics,
        const Clock& clock
    );
    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override;
    net::HeadVerdict judge_head(std::string_view method, std::string_view path) const override {
        return handler_->judge_head(method, path);
    }

  private:
    class InFlight;

    std::shared_ptr<net::HttpHandler> handler_;
    metrics::RuntimeMetrics& metrics_;
    const Clock& clock_;
    metrics::Labels webhook_;
    metrics::Labels succeeded_;  ///< labels of a response with status 200
};

}  // namespace sluice::controller
