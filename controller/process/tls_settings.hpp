#pragma once

#include "config/configuration.hpp"
#include "net/http_server.hpp"

#include <optional>

namespace sluice::controller {

/// Gives a server what the setting `tls` says; without it the server keeps its defaults.
void apply_tls(net::ServerOptions& server, const std::optional<config::TlsOptions>& tls);

}  // namespace sluice::controller
