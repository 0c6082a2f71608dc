#include "apiserver/answer.hpp"

#include <memory>
#include <utility>
#include <variant>

namespace sluice::apiserver {

boost::asio::awaitable<Response> answer(
    ApiServer* server, const Clock* clock, Request request, const WebhookTransport* transport
) {
    ApiServer::Answer begun = server->begin(std::move(request), clock->now());
    if (auto* response = std::get_if<Response>(&begun)) {
        co_return std::move(*response);
    }
    auto operation = std::move(std::get<std::unique_ptr<WriteOperation>>(begun));
    for (;;) {
        auto next = operation->advance(clock->now());
        if (!next) {
            break;
        }
        const auto review = co_await (*transport)(std::move(*next));
        operation->take_answer(review);
    }
    co_return std::move(operation->response());
}

}  // namespace sluice::apiserver
