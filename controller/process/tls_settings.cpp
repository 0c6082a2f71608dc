#include "controller/process/tls_settings.hpp"

namespace sluice::controller {

void apply_tls(net::ServerOptions& server, const std::optional<config::TlsOptions>& tls) {
    if (!tls) {
        return;
    }
    if (!tls->min_version.empty()) {
        server.minimum_tls_version = tls->min_version;
    }
    server.tls_cipher_suites = tls->cipher_suites;
    server.tls_curves.assign(tls->curve_preferences.begin(), tls->curve_preferences.end());
}

}  // namespace sluice::controller
