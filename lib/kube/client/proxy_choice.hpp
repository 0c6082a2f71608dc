#pragma once

#include "base/error.hpp"
#include "net/transport/proxy.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace sluice::kube {

/// The proxy that the environment names for a server, as Go's programs choose it: HTTPS_PROXY (for
/// plain HTTP: HTTP_PROXY) unless NO_PROXY has the server; each variable in lower case too.
/// NO_PROXY lists names (with all below them; with a dot in front only those), addresses, networks
/// such as 10.0.0.0/8, each perhaps with a port, or `*`. A server on this machine is reached
/// directly. Errors: Invalid naming the variable.
Result<std::optional<net::Proxy>> choose_proxy(
    const std::map<std::string, std::string>& environment,
    bool use_tls,
    const std::string& host,
    std::uint16_t port
);

}  // namespace sluice::kube
