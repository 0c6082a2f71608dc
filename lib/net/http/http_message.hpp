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

/// The first header of that name (case does not count), or "".
std::string_view find_header(const HttpHeaders& headers, std::string_view name);

/// All headers of that name, in their order.
std::vector<std::string_view> find_headers(const HttpHeaders& headers, std::string_view name);

/// The standard phrase of a status, for example "Not Found".
std::string_view reason_phrase(int status);

}  // namespace sluice::net
