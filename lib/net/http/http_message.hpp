// HTTP headers, and the reason phrases of status codes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::net {

struct HttpHeader {
    std::string name;
    std::string value;
};

using HttpHeaders = std::vector<HttpHeader>;

/// Returns the value of the first header with that name (case is ignored), or "".
std::string_view find_header(const HttpHeaders& headers, std::string_view name);

/// Returns the values of all headers with that name, in their order.
std::vector<std::string_view> find_headers(const HttpHeaders& headers, std::string_view name);

/// Returns the standard reason phrase of a status. Example: Not Found
std::string_view reason_phrase(int status);

}  // namespace sluice::net
