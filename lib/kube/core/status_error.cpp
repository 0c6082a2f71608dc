#include "kube/core/status_error.hpp"

#include "json/value.hpp"
#include "kube/core/raw_json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace sluice::kube {
namespace {

/// Length at which a quoted response body is cut, in bytes.
constexpr std::size_t kQuotedMax = 200;
/// Longest wait that a server may ask for, in seconds.
constexpr int kRetryAfterMax = 3600;

std::optional<ErrorCode> code_of_reason(std::string_view reason) {
    static constexpr std::array<std::pair<std::string_view, ErrorCode>, 19> kReasons{{
        {"AlreadyExists", ErrorCode::AlreadyExists},
        {"BadRequest", ErrorCode::Invalid},
        {"Conflict", ErrorCode::Conflict},
        {"Expired", ErrorCode::Gone},
        {"Forbidden", ErrorCode::Forbidden},
        {"Gone", ErrorCode::Gone},
        {"InternalError", ErrorCode::Internal},
        {"Invalid", ErrorCode::Invalid},
        {"MethodNotAllowed", ErrorCode::Invalid},
        {"NotAcceptable", ErrorCode::Invalid},
        {"NotFound", ErrorCode::NotFound},
        {"RequestEntityTooLarge", ErrorCode::Invalid},
        {"ServerTimeout", ErrorCode::Timeout},
        {"ServiceUnavailable", ErrorCode::Unavailable},
        {"StoreReadError", ErrorCode::Internal},
        {"Timeout", ErrorCode::Timeout},
        {"TooManyRequests", ErrorCode::TooManyRequests},
        {"Unauthorized", ErrorCode::Unauthorized},
        {"UnsupportedMediaType", ErrorCode::Invalid},
    }};
    const auto* found = std::find_if(kReasons.begin(), kReasons.end(), [&](const auto& entry) {
        return entry.first == reason;
    });
    return found == kReasons.end() ? std::nullopt : std::optional(found->second);
}

ErrorCode code_of_http_status(int status) {
    switch (status) {
        case 401:
            return ErrorCode::Unauthorized;
        case 403:
            return ErrorCode::Forbidden;
        case 404:
            return ErrorCode::NotFound;
        case 408:
            return ErrorCode::Timeout;
        case 409:
            return ErrorCode::Conflict;
        case 410:
            return ErrorCode::Gone;
        case 429:
            return ErrorCode::TooManyRequests;
        case 502:
        case 503:
            return ErrorCode::Unavailable;
        case 504:
            return ErrorCode::Timeout;
        default:
            return status >= 400 && status < 500 ? ErrorCode::Invalid : ErrorCode::Internal;
    }
}

int parse_seconds(std::string_view text) {
    int seconds = 0;
    const auto* end = text.data() + text.size();
    const auto [at, failure] = std::from_chars(text.data(), end, seconds);
    return failure == std::errc() && at == end ? std::clamp(seconds, 0, kRetryAfterMax) : 0;
}

/// Returns the body as one short printable line.
std::string quote(std::string_view body) {
    std::string out(body.substr(0, kQuotedMax));
    for (auto& c : out) {
        if (static_cast<unsigned char>(c) < ' ') {
            c = ' ';
        }
    }
    return out;
}

/// Returns true if the write in question may still happen in etcd. The API server passes on etcd's
/// own error as HTTP 500 without a reason; errors of webhooks or of the API server itself have a
/// reason.
bool is_storage_timeout(const json::Value& status) {
    constexpr std::string_view kStorage = "etcdserver: request timed out";
    constexpr std::string_view kDeadline = "context deadline exceeded";
    const std::string_view message = status.string_at("message");
    return status.string_at("reason").empty() &&
           (message.starts_with(kStorage) || message == kDeadline);
}

Error from_status(const json::Value& status, std::string_view text, int http_status) {
    const auto* code_value = status.find("code");
    const auto code = code_value != nullptr && code_value->is_int() ? code_value->as_int() : 0;
    const int known = code > 0 && code < 1000 ? static_cast<int>(code) : http_status;
    Error error;
    error.code = code_of_reason(status.string_at("reason")).value_or(code_of_http_status(known));
    if (error.code == ErrorCode::Internal && is_storage_timeout(status)) {
        error.code = ErrorCode::Timeout;
    }
    error.detail = std::string(status.string_at("message"));
    if (error.detail.empty()) {
        error.detail =
            fmt::format("the API server answered {} {}", known, status.string_at("reason"));
    }
    error.status = std::string(text);
    const auto* wait = status.find_path({"details", "retryAfterSeconds"});
    if (wait != nullptr && wait->is_int()) {
        error.retry_after_seconds =
            static_cast<int>(std::clamp<std::int64_t>(wait->as_int(), 0, kRetryAfterMax));
    }
    return error;
}

}  // namespace

Error make_status_error(int http_status, std::string_view body, std::string_view retry_after) {
    Error error;
    const auto value = json::parse(body);
    if (value && value->string_at("kind") == "Status") {
        error = from_status(*value, body, http_status);
    } else {
        error.code = code_of_http_status(http_status);
        error.detail = fmt::format("the server answered HTTP {}: {}", http_status, quote(body));
    }
    const int wait = parse_seconds(retry_after);
    if (wait > 0) {
        error.retry_after_seconds = wait;
    }
    return error;
}

Error make_status_error(std::string_view status_json) {
    const auto value = json::parse(status_json);
    if (!value || value->string_at("kind") != "Status") {
        return Error{
            ErrorCode::Internal,
            "the server reported an error without a Status: " + quote(status_json),
            {}
        };
    }
    return from_status(*value, status_json, 500);
}

bool is_refused_before_processing(const Error& error) {
    return error.code == ErrorCode::TooManyRequests ||
           (error.code == ErrorCode::Unavailable && error.retry_after_seconds > 0);
}

}  // namespace sluice::kube
