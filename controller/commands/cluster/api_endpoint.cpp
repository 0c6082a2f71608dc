#include "controller/commands/cluster/api_endpoint.hpp"

#include "apiserver/cluster_content.hpp"
#include "json/value.hpp"
#include "json/writer.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace sluice::commands {

namespace {

constexpr Duration kStopGrace = std::chrono::milliseconds(200);

}  // namespace

ApiEndpoint::ApiEndpoint(net::CertificateAndKey authority, net::CertificateAndKey serving)
    : token_(net::make_uuid()), authority_(std::move(authority)), serving_(std::move(serving)) {}

Result<std::unique_ptr<ApiEndpoint>> ApiEndpoint::make(Time now) {
    const net::Validity validity{.now = now};
    auto authority = net::make_authority("sluice dev", validity);
    if (!authority) {
        return authority.error();
    }
    auto serving = net::make_serving_certificate(*authority, {"localhost", "127.0.0.1"}, validity);
    if (!serving) {
        return serving.error();
    }
    return std::unique_ptr<ApiEndpoint>(new ApiEndpoint(std::move(*authority), std::move(*serving))
    );
}

Result<void> ApiEndpoint::serve(
    net::EventLoop& loop, apiserver::ApiServer& server, const Clock& clock, Options options
) {
    front_ = std::make_unique<apiserver::HttpFront>(
        server,
        clock,
        apiserver::HttpFront::Options{
            .executor = loop.executor(), .webhooks = std::move(options.webhooks)
        }
    );
    net::ServerOptions http;
    http.address = "127.0.0.1";
    http.port = options.port;
    http.certificate_pem = serving_.certificate_pem;
    http.private_key_pem = serving_.private_key_pem;
    auto started = net::HttpServer::start(loop, *front_, std::move(http));
    if (!started) {
        return started.error();
    }
    http_ = std::move(*started);
    return {};
}

boost::asio::awaitable<void> ApiEndpoint::stop() {
    co_await http_->stop(kStopGrace);
}

std::string ApiEndpoint::kubeconfig(const std::string& user) const {
    json::Value credentials = json::Object{{"token", token_}};
    if (!user.empty()) {
        credentials.set("as", user);
    }
    const json::Value cluster = json::Object{
        {"server", fmt::format("https://127.0.0.1:{}", port())},
        {"certificate-authority-data", kube::encode_base64(authority())}
    };
    const json::Value config = json::Object{
        {"apiVersion", "v1"},
        {"kind", "Config"},
        {"clusters", json::Array{json::Object{{"name", kName}, {"cluster", cluster}}}},
        {"users", json::Array{json::Object{{"name", kName}, {"user", std::move(credentials)}}}},
        {"contexts",
         json::Array{json::Object{
             {"name", kName}, {"context", json::Object{{"cluster", kName}, {"user", kName}}}
         }}},
        {"current-context", kName}
    };
    return json::print_pretty(config) + "\n";
}

}  // namespace sluice::commands
