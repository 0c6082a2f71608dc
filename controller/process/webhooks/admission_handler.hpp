// Answers AdmissionReviews.
#pragma once

#include "api/core/admission_review.hpp"
#include "base/error.hpp"
#include "net/http/http_server.hpp"
#include "webhook/admission_review.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace sluice::controller {

/// Decides on a write. Thread: that of the webhook server; it must not block.
using AdmissionJudge = std::function<
    boost::asio::awaitable<Result<webhook::Verdict>>(std::shared_ptr<const api::AdmissionRequest>)>;

/// Answers the AdmissionReviews of one webhook.
class AdmissionHandler final : public net::HttpHandler {
  public:
    explicit AdmissionHandler(AdmissionJudge judge) : judge_(std::move(judge)) {}
    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override;

  private:
    AdmissionJudge judge_;
};

}  // namespace sluice::controller
