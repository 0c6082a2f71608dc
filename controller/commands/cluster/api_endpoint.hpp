// HTTPS endpoint of an embedded API server: certificates, administrator token and kubeconfig.
#pragma once

#include "apiserver/api_server.hpp"
#include "apiserver/http/http_front.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/http/http_server.hpp"
#include "net/loop/event_loop.hpp"
#include "net/transport/certificate.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace sluice::commands {

/// Serves an embedded API server over HTTPS on the loopback interface, with its own certificate
/// authority and its own token. Thread: the one of the loop that it serves on, unless stated
/// otherwise.
class ApiEndpoint {
  public:
    /// Name of the cluster, the user and the context in the kubeconfig.
    static constexpr const char* kName = "sluice-dev";

    struct Options {
        std::uint16_t port = 0;  ///< 0: any free port
        /// How the server calls webhooks; if it is not set, over HTTP.
        apiserver::WebhookTransport webhooks{};
    };

    /// Makes the certificates, which are valid from `now` on, and a random token.
    static Result<std::unique_ptr<ApiEndpoint>> make(Time now);
    ApiEndpoint(const ApiEndpoint&) = delete;
    ApiEndpoint& operator=(const ApiEndpoint&) = delete;

    /// The CA certificate that clients must trust, in PEM.
    const std::string& authority() const { return authority_.certificate_pem; }
    /// The administrator's token; the API server passed to serve() must know it.
    const std::string& token() const { return token_; }
    /// Starts to listen immediately. Lifetime: `loop`, `server` and `clock` must outlive this
    /// object. Errors: Unavailable if the port is in use. Thread: any.
    Result<void> serve(
        net::EventLoop& loop, apiserver::ApiServer& server, const Clock& clock, Options options
    );
    /// Stops listening; gives running requests a moment to finish. Requires: serve() succeeded.
    boost::asio::awaitable<void> stop();

    /// The port that it listens on. Requires: serve() succeeded. Thread: any.
    std::uint16_t port() const { return http_->port(); }
    /// Returns a kubeconfig, as JSON, for clients of this endpoint. They impersonate `user`; if it
    /// is empty, they act as the administrator. Requires: serve() succeeded. Thread: any.
    std::string kubeconfig(const std::string& user = "") const;
    /// The HTTP handler in front of the API server. Requires: serve() succeeded.
    apiserver::HttpFront& front() { return *front_; }
    bool is_serving() const { return http_ != nullptr; }

  private:
    ApiEndpoint(net::CertificateAndKey authority, net::CertificateAndKey serving);

    std::string token_;
    net::CertificateAndKey authority_;
    net::CertificateAndKey serving_;
    std::unique_ptr<apiserver::HttpFront> front_;
    std::unique_ptr<net::HttpServer> http_;
};

}  // namespace sluice::commands
