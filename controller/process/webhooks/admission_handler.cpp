#include "controller/process/webhooks/admission_handler.hpp"

#include "base/log.hpp"

namespace sluice::controller {

namespace {

constexpr int kBadRequest = 400;
constexpr int kServiceUnavailable = 503;

net::ServerResponse refuse(int status, const Error& error) {
    return {.status = status, .body = error.detail + "\n"};
}

}  // namespace

boost::asio::awaitable<net::ServerResponse> AdmissionHandler::handle(net::ServerRequest request) {
    const auto body = request.body.view();
    if (!body) {
        co_return refuse(500, body.error());
    }
    auto parsed = webhook::parse_admission_review(*body);
    request.body = net::SpooledBody();
    if (!parsed) {
        co_return refuse(kBadRequest, parsed.error());
    }
    const auto review = std::make_shared<const api::AdmissionRequest>(std::move(*parsed));
    const auto verdict = co_await judge_(review);
    net::ServerResponse response;
    response.content_type = "application/json";
    if (!verdict) {
        log::warning(
            "cannot review a write",
            {{"kind", review->kind.kind},
             {"object", review->namespace_ + "/" + review->name},
             {"error", verdict.error().detail}}
        );
        // A response would be a refusal. Without one the webhook's failurePolicy decides.
        if (verdict.error().code == ErrorCode::Unavailable) {
            co_return refuse(kServiceUnavailable, verdict.error());
        }
        response.body = webhook::make_error_answer(*review, verdict.error());
    } else {
        response.body = webhook::make_admission_answer(*review, *verdict);
    }
    co_return response;
}

}  // namespace sluice::controller
