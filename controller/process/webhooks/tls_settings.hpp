// Applies the setting `tls` to servers.
#pragma once

#include "base/error.hpp"
#include "config/configuration.hpp"
#include "net/http/http_server.hpp"

#include <optional>

namespace sluice::controller {

/// Applies the setting `tls` to a server; without it the server keeps its defaults.
void apply_tls(net::ServerOptions& server, const std::optional<config::TlsOptions>& tls);

/// Checks that the TLS library supports the setting. Errors: Invalid, naming the setting.
Result<void> check_tls(const std::optional<config::TlsOptions>& tls);

}  // namespace sluice::controller
