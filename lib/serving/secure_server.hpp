#pragma once

#include "kube/client/client.hpp"
#include "net/http/http_server.hpp"
#include "serving/certificate_source.hpp"
#include "serving/server_thread.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace sluice::serving {

/// An HTTPS server whose certificate follows its source: one that was renewed or changed is shown
/// to connections made from then on, without a restart.
/// Thread: that of the source; the server itself is on the given one.
class SecureServer {
  public:
    /// Lifetime: thread and source must outlive it.
    SecureServer(ServerThread& thread, CertificateSource& source)
        : thread_(thread), source_(source) {}

    /// Gets the certificate and listens. The certificate in `options` is filled in.
    /// Errors: those of the source; Unavailable when the port is taken.
    kube::Async<void> start(std::shared_ptr<net::HttpHandler> handler, net::ServerOptions options);
    bool is_serving() const { return server_ != nullptr; }
    /// 0: it does not serve.
    std::uint16_t port() const { return is_serving() ? server_->port() : std::uint16_t{0}; }
    /// The authorities that clients are to trust; "": the maker of the certificate publishes it.
    const std::string& authority_pem() const { return shown_.authority.certificate_pem; }
    /// Returns the certificate that is shown; nullptr if it does not serve.
    const ServingCertificates* find_shown() const { return is_serving() ? &shown_ : nullptr; }
    /// Asks the source again. Errors: those of the source; what is shown then stays. Requires: it
    /// serves.
    kube::Async<void> check();

  private:
    ServerThread& thread_;
    CertificateSource& source_;
    net::HttpServer* server_ = nullptr;
    ServingCertificates shown_;
};

}  // namespace sluice::serving
