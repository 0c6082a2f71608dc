#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::net {

/// The parts of `http(s)://host:port/path`.
struct ServerUrl {
    bool is_https = true;
    std::string host;  ///< name or IP address without brackets
    std::uint16_t port = 443;
    std::string path;  ///< percent-encoded as given; "" or with a slash at its begin
};

/// Reads the URL of a server (RFC 3986). Without a port it is that of the scheme. Errors: Invalid
/// for other schemes, user information, a query, a fragment or port 0; the message does not repeat
/// the text, which may hold a password.
Result<ServerUrl> parse_server_url(std::string_view text);

/// What a plus sign stands for: in the query of a form a space, elsewhere itself.
enum class PlusSign : std::uint8_t { Itself, Space };
/// The text with its %XX sequences decoded (RFC 3986); as it is where one of them is malformed.
std::string percent_decode(std::string_view text, PlusSign plus = PlusSign::Itself);

}  // namespace sluice::net
