#include "apiserver/webhook_client.hpp"

#include "kube/core/base64.hpp"
#include "net/http_client.hpp"
#include "net/tls.hpp"
#include "net/url.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

boost::asio::awaitable<Result<json::Value>> call_webhook(WebhookCall call) {
    const std::string url(call.client_config.string_at("url"));
    if (url.empty()) {
        co_return make_invalid("no Service can be reached from here: give the webhook a url");
    }
    const std::size_t query = url.find('?');
    const auto server = net::parse_server_url(std::string_view(url).substr(0, query));
    const auto authority = kube::decode_base64(call.client_config.string_at("caBundle"));
    if (!server || !authority) {
        co_return server ? authority.error() : server.error();
    }
    net::TlsClientOptions trust;
    trust.ca_pem = *authority;
    const auto tls = net::make_client_tls(trust);
    if (!tls) {
        co_return tls.error();
    }
    net::HttpClientOptions to;
    to.host = server->host;
    to.port = server->port;
    to.tls = *tls;
    net::HttpClient client(std::move(to));
    net::ClientRequest request;
    request.method = "POST";
    request.target = fmt::format(
        "{}?timeout={}s", server->path.empty() ? "/" : server->path, call.timeout_seconds
    );
    request.headers.push_back({"Content-Type", "application/json"});
    request.body = json::print(call.review);
    const Duration limit = std::chrono::seconds(call.timeout_seconds);
    net::HttpOutcome outcome = co_await client.send(std::move(request), limit);
    if (!outcome.response) {
        co_return with_context(outcome.response.error(), fmt::format("Post \"{}\"", url));
    }
    if (outcome.response->status != 200) {
        co_return make_invalid(
            fmt::format("the server answered with status {}", outcome.response->status)
        );
    }
    co_return json::parse(outcome.response->body);
}

}  // namespace sluice::apiserver
