#include "net/http/http_message.hpp"

#include <algorithm>

namespace sluice::net {
namespace {

char to_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return to_lower(x) == to_lower(y);
    });
}

}  // namespace

std::string_view find_header(const HttpHeaders& headers, std::string_view name) {
    for (const auto& header : headers) {
        if (equal_ignoring_case(header.name, name)) {
            return header.value;
        }
    }
    return {};
}

std::vector<std::string_view> find_headers(const HttpHeaders& headers, std::string_view name) {
    std::vector<std::string_view> values;
    for (const HttpHeader& header : headers) {
        if (equal_ignoring_case(header.name, name)) {
            values.emplace_back(header.value);
        }
    }
    return values;
}

std::string_view reason_phrase(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 201:
            return "Created";
        case 202:
            return "Accepted";
        case 204:
            return "No Content";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 408:
            return "Request Timeout";
        case 409:
            return "Conflict";
        case 410:
            return "Gone";
        case 413:
            return "Content Too Large";
        case 415:
            return "Unsupported Media Type";
        case 422:
            return "Unprocessable Content";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 501:
            return "Not Implemented";
        case 503:
            return "Service Unavailable";
        case 504:
            return "Gateway Timeout";
        default:
            return "Status";
    }
}

}  // namespace sluice::net
