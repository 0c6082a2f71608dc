// An HTTP proxy that opens tunnels, and its URL.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::net {

/// An HTTP proxy that opens tunnels (method CONNECT, RFC 9110, section 9.3.6). May contain a
/// password.
struct Proxy {
    std::string host;  ///< name or IP address without brackets
    std::uint16_t port = 80;
    std::string authorization;  ///< value of the header Proxy-Authorization; "" to send none

    friend bool operator==(const Proxy&, const Proxy&) = default;
};

/// Parses `http://[user[:password]@]host[:port]`; the scheme may be omitted. Errors: Invalid for
/// other schemes, because the connection to the proxy itself is not encrypted. The message does not
/// repeat the text, which may contain a password.
Result<Proxy> parse_proxy_url(std::string_view text);

}  // namespace sluice::net
