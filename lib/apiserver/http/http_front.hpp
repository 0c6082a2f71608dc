// Serves an API server over HTTP: authentication, bodies, watches and webhook calls.
#pragma once

#include "apiserver/api_server.hpp"
#include "apiserver/http/answer.hpp"
#include "base/clock.hpp"
#include "net/http/http_server.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <string>
#include <string_view>

namespace sluice::apiserver {

/// Serves an ApiServer over HTTP: authentication, bodies, watches, and calls of webhooks. Accepts
/// the administrator's token and tokens of service accounts. Lifetime: server and clock must
/// outlive it. Thread: the thread of the loop that it runs on.
class HttpFront final : public net::HttpHandler {
  public:
    struct Options {
        boost::asio::any_io_executor executor;
        WebhookTransport webhooks{};  ///< how webhooks are called; empty: over HTTPS
    };

    HttpFront(ApiServer& server, const Clock& clock, Options options);

    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override;
    net::HeadVerdict judge_head(std::string_view method, std::string_view path) const override;
    /// Answers the request of an authenticated user, and calls webhooks.
    boost::asio::awaitable<Response> answer(Request request);

  private:
    net::ServerResponse make_response(Response response) const;

    ApiServer& server_;
    const Clock& clock_;
    Options options_;
    WebhookTransport transport_;
};

}  // namespace sluice::apiserver
