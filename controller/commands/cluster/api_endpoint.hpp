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

/// Where an embedded API server is reached: over HTTPS on the loopback, with an authority and a
/// token of its own. Thread: that of the loop it serves on, unless said otherwise.
class ApiEndpoint {
  public:
    /// Of its cluster, user and context in the kubeconfig.
    static constexpr const char* kName = "sluice-dev";

    struct Options {
        std::uint16_t port = 0;  ///< 0: any free one
        /// How webhooks are called; none: over HTTP.
        apiserver::WebhookTransport webhooks{};
    };

    /// Its certificate is valid from `now` on.
    static Result<std::unique_ptr<ApiEndpoint>> make(Time now);
    ApiEndpoint(const ApiEndpoint&) = delete;
    ApiEndpoint& operator=(const ApiEndpoint&) = delete;

    /// What clients have to trust, PEM.
    const std::string& authority() const { return authority_.certificate_pem; }
    /// Of the administrator; the server that is served must know it.
    const std::string& token() const { return token_; }
    /// Listens at once. Lifetime: what it is given must outlive it. Errors: Unavailable when the
    /// port is taken. Thread: any.
    Result<void> serve(
        net::EventLoop& loop, apiserver::ApiServer& server, const Clock& clock, Options options
    );
    /// Lets running requests finish for a moment. Requires: it serves.
    boost::asio::awaitable<void> stop();

    /// Requires: it serves. Thread: any.
    std::uint16_t port() const { return http_->port(); }
    /// How clients reach it, a kubeconfig as JSON, whose user acts in the name of `user` ("": its
    /// own). Requires: it serves. Thread: any.
    std::string kubeconfig(const std::string& user = "") const;
    /// Requires: it serves.
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
