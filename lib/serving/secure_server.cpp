#include "serving/secure_server.hpp"

#include <utility>

namespace sluice::serving {

kube::Async<void> SecureServer::start(
    std::shared_ptr<net::HttpHandler> handler, net::ServerOptions options
) {
    auto certificates = co_await source_.current();
    if (!certificates) {
        co_return certificates.error();
    }
    options.certificate_pem = certificates->serving.certificate_pem;
    options.private_key_pem = certificates->serving.private_key_pem;
    auto server = thread_.listen(std::move(handler), std::move(options));
    if (!server) {
        co_return server.error();
    }
    server_ = *server;
    shown_ = std::move(*certificates);
    co_return Result<void>();
}

kube::Async<void> SecureServer::check() {
    auto certificates = co_await source_.current();
    if (!certificates) {
        co_return with_context(certificates.error(), "certificates");
    }
    const auto& [certificate, key] = certificates->serving;
    if (certificate != shown_.serving.certificate_pem || key != shown_.serving.private_key_pem) {
        const auto changed = server_->set_certificate(certificate, key);
        if (!changed) {
            co_return with_context(changed.error(), "certificates");
        }
    }
    shown_ = std::move(*certificates);
    co_return Result<void>();
}

}  // namespace sluice::serving
