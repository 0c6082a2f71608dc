#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::net {

/// An HTTP proxy that opens tunnels (the method CONNECT, RFC 9110, section 9.3.6). Holds a
/// password.
struct Proxy {
    std::string host;  ///< name or IP address without brackets
    std::uint16_t port = 80;
    std::string authorization;  ///< value of the header Proxy-Authorization; "": none

    friend bool operator==(const Proxy&, const Proxy&) = default;
};

/// Reads `http://[user[:password]@]host[:port]`; without a scheme it is http. Errors: Invalid for
/// other schemes (the connection to the proxy itself is not encrypted); the message does not repeat
/// the text, which may hold a password.
Result<Proxy> parse_proxy_url(std::string_view text);

}  // namespace sluice::net
