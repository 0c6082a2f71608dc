#include "apiserver/http/webhook_client.hpp"

#include "kube/core/base64.hpp"
#include "net/http/http_client.hpp"
#include "net/transport/tls.hpp"
#include "net/transport/url.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

boost::asio::awaitable<Result<json::Value>> call_webhook(WebhookCall call) {
    const WebhookTarget& target = call.target;
    const std::string url = fmt::format(
        "{}?timeout={}s",
        std::string_view(target.url).substr(0, target.url.find('?')),
        call.timeout_seconds
    );
    const std::string asked = fmt::format("Post \"{}\"", url);
    if (!target.fault.empty()) {
        co_return make_invalid(fmt::format("{}: {}", asked, target.fault));
    }
    const auto named =
        net::parse_server_url(std::string_view(target.url).substr(0, target.url.find('?')));
    const auto dialled =
        target.server.empty() ? named : net::parse_server_url("https://" + target.server);
    const auto authority = kube::decode_base64(target.ca_bundle);
    if (!named || !dialled || !authority) {
        co_return !named ? named.error() : !dialled ? dialled.error() : authority.error();
    }
    net::TlsClientOptions trust;
    trust.ca_pem = *authority;
    trust.server_name = target.server_name;
    const auto tls = net::make_client_tls(trust);
    if (!tls) {
        co_return tls.error();
    }
    net::HttpClientOptions to;
    to.host = dialled->host;
    to.port = dialled->port;
    to.tls = *tls;
    net::HttpClient client(std::move(to));
    net::ClientRequest request;
    request.method = "POST";
    request.target = fmt::format(
        "{}?timeout={}s", named->path.empty() ? "/" : named->path, call.timeout_seconds
    );
    request.headers.push_back({"Content-Type", "application/json"});
    request.body = json::print(call.review);
    const Duration limit = std::chrono::seconds(call.timeout_seconds);
    net::HttpOutcome outcome = co_await client.send(std::move(request), limit);
    if (!outcome.response) {
        co_return with_context(outcome.response.error(), asked);
    }
    if (outcome.response->status != 200) {
        co_return make_invalid(
            fmt::format("the server answered with status {}", outcome.response->status)
        );
    }
    co_return json::parse(outcome.response->body);
}

}  // namespace sluice::apiserver
