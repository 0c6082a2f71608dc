#include "apiserver/http/answer.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace sluice::apiserver {

namespace {

boost::asio::awaitable<Result<json::Value>> call_through(
    const WebhookTransport* transport, WebhookCall call
) {
    if (!*transport) {
        co_return make_invalid("webhooks cannot be called from here");
    }
    auto review = co_await (*transport)(std::move(call));
    co_return review;
}

}  // namespace

boost::asio::awaitable<Response> answer(
    ApiServer* server, const Clock* clock, Request request, const WebhookTransport* transport
) {
    const std::string deprecation = server->find_deprecation(request.path);
    Answer begun = server->begin(std::move(request), clock->now());
    if (auto* response = std::get_if<Response>(&begun)) {
        co_return with_warning(std::move(*response), deprecation);
    }
    auto operation = std::move(std::get<std::unique_ptr<Operation>>(begun));
    for (;;) {
        auto next = operation->advance(clock->now());
        if (!next) {
            break;
        }
        const auto review = co_await call_through(transport, std::move(*next));
        operation->take_answer(review);
    }
    co_return with_warning(std::move(operation->response()), deprecation);
}

boost::asio::awaitable<std::string> read_watch(
    std::shared_ptr<Watch> watch, const WebhookTransport* transport
) {
    for (;;) {
        std::string lines = watch->take();
        auto call = lines.empty() ? watch->next_call() : std::nullopt;
        if (!call) {
            co_return lines;
        }
        const auto review = co_await call_through(transport, std::move(*call));
        watch->take_answer(review);
    }
}

}  // namespace sluice::apiserver
