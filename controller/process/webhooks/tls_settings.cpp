#include "controller/process/webhooks/tls_settings.hpp"

#include "net/transport/tls.hpp"

#include <vector>

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

Result<void> check_tls(const std::optional<config::TlsOptions>& tls) {
    if (!tls) {
        return {};
    }
    if (const auto suites = net::check_cipher_suites(tls->cipher_suites); !suites) {
        return with_context(suites.error(), "tls.cipherSuites");
    }
    const std::vector<int> curves(tls->curve_preferences.begin(), tls->curve_preferences.end());
    if (const auto checked = net::check_curves(curves); !checked) {
        return with_context(checked.error(), "tls.curvePreferences");
    }
    return {};
}

}  // namespace sluice::controller
