// An HTTPS server whose certificate follows its source without a restart.
#pragma once

#include "kube/client/client.hpp"
#include "net/http/http_server.hpp"
#include "serving/certificate_source.hpp"
#include "serving/server_thread.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace sluice::serving {

/// An HTTPS server whose certificate follows its source: a renewed or changed certificate is used
/// for later connections, without a restart. Thread: that of the source; the server runs on the
/// given one.
class SecureServer {
  public:
    /// Lifetime: thread and source must outlive this object.
    SecureServer(ServerThread& thread, CertificateSource& source)
        : thread_(thread), source_(source) {}

    /// Gets the certificate, sets it in `options`, and listens. Errors: those of the source;
    /// Unavailable if the port is in use.
    kube::Async<void> start(std::shared_ptr<net::HttpHandler> handler, net::ServerOptions options);
    bool is_serving() const { return server_ != nullptr; }
    /// Returns the port; 0 if the server has not started.
    std::uint16_t port() const { return is_serving() ? server_->port() : std::uint16_t{0}; }
    /// The authorities that clients must trust; "" if the administrator publishes them.
    const std::string& authority_pem() const { return shown_.authority.certificate_pem; }
    /// Returns the certificate in use; nullptr if the server has not started.
    const ServingCertificates* find_shown() const { return is_serving() ? &shown_ : nullptr; }
    /// Asks the source again. Errors: those of the source; the certificate then stays. Requires:
    /// is_serving().
    kube::Async<void> check();

  private:
    ServerThread& thread_;
    CertificateSource& source_;
    net::HttpServer* server_ = nullptr;
    ServingCertificates shown_;
};

}  // namespace sluice::serving
