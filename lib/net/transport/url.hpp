// Parses the URL of a server, and decodes percent-encoded text.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::net {

/// The parts of `http(s)://host:port/path`.
struct ServerUrl {
    bool is_https = true;
    std::string host;  ///< name or IP address without brackets
    std::uint16_t port = 443;
    std::string path;  ///< percent-encoded as given; "" or with a leading slash
};

/// Parses the URL of a server (RFC 3986). The default port is that of the scheme. Errors: Invalid
/// for other schemes, user information, a query, a fragment or port 0. The message does not repeat
/// the text, which may contain a password.
Result<ServerUrl> parse_server_url(std::string_view text);

/// The meaning of a plus sign: a space in the query of a form, elsewhere itself.
enum class PlusSign : std::uint8_t { Itself, Space };
/// Decodes the %XX sequences of a text (RFC 3986). Returns the text unchanged if one is malformed.
std::string percent_decode(std::string_view text, PlusSign plus = PlusSign::Itself);

/// Returns the percent-decoded parts between slashes; a slash at the end adds no empty part.
std::vector<std::string> split_path(std::string_view path);

}  // namespace sluice::net
