#pragma once

#include "base/error.hpp"
#include "config/configuration.hpp"
#include "net/http/http_server.hpp"

#include <optional>

namespace sluice::controller {

/// Gives a server what the setting `tls` says; without it the server keeps its defaults.
void apply_tls(net::ServerOptions& server, const std::optional<config::TlsOptions>& tls);

/// Whether servers can be had with it. Errors: Invalid, naming the setting.
Result<void> check_tls(const std::optional<config::TlsOptions>& tls);

}  // namespace sluice::controller
