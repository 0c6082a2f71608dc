// Chooses the proxy for a server from the environment, as Go programs do.
#pragma once

#include "base/error.hpp"
#include "net/transport/proxy.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace sluice::kube {

/// Returns the proxy that the environment configures for a server, as Go programs choose it:
/// HTTPS_PROXY (for plain HTTP: HTTP_PROXY), unless NO_PROXY lists the server. Each variable may
/// also be in lower case. NO_PROXY lists names (which include their subdomains; with a leading dot,
/// only the subdomains), addresses, networks such as 10.0.0.0/8, or `*`; names and addresses may
/// have a port. A server on this machine is reached directly. Returns nullopt to connect directly.
/// Errors: Invalid naming the variable.
Result<std::optional<net::Proxy>> choose_proxy(
    const std::map<std::string, std::string>& environment,
    bool use_tls,
    const std::string& host,
    std::uint16_t port
);

}  // namespace sluice::kube
