#include "apiserver/status.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

ErrorCode error_code_of(int code, std::string_view reason) {
    switch (code) {
        case 401:
            return ErrorCode::Unauthorized;
        case 403:
            return ErrorCode::Forbidden;
        case 404:
            return ErrorCode::NotFound;
        case 409:
            return reason == "AlreadyExists" ? ErrorCode::AlreadyExists : ErrorCode::Conflict;
        case 410:
            return ErrorCode::Gone;
        case 429:
            return ErrorCode::TooManyRequests;
        case 504:
            return ErrorCode::Timeout;
        case 503:
            return ErrorCode::Unavailable;
        default:
            return code >= 500 ? ErrorCode::Internal : ErrorCode::Invalid;
    }
}

Value details_of(GroupName what, std::string_view name, const std::vector<Cause>& causes = {}) {
    Value details{Object{}};
    if (!name.empty()) {
        details.set("name", name);
    }
    if (!what.group.empty()) {
        details.set("group", what.group);
    }
    details.set("kind", what.name);
    if (causes.empty()) {
        return details;
    }
    Array list;
    for (const auto& cause : causes) {
        Value entry{Object{}};
        entry.set("reason", cause.reason);
        entry.set("message", cause.message);
        if (!cause.field.empty()) {
            entry.set("field", cause.field);
        }
        list.push_back(std::move(entry));
    }
    details.set("causes", std::move(list));
    return details;
}

}  // namespace

std::string to_string(GroupName name) {
    return name.group.empty() ? std::string(name.name)
                              : fmt::format("{}.{}", name.name, name.group);
}

Error make_status_error(
    int code, std::string_view reason, std::string message, const Value& details
) {
    Value status{Object{}};
    status.set("kind", "Status");
    status.set("apiVersion", "v1");
    status.set("metadata", Object{});
    status.set("status", "Failure");
    status.set("message", message);
    if (!reason.empty()) {
        status.set("reason", reason);
    }
    if (!details.is_null()) {
        status.set("details", details);
    }
    status.set("code", code);
    Error error{error_code_of(code, reason), std::move(message), json::print(status)};
    if (const Value* seconds = details.find("retryAfterSeconds"); seconds != nullptr) {
        error.retry_after_seconds = static_cast<int>(seconds->as_int());
    }
    return error;
}

Error object_not_found(GroupName resource, std::string_view name) {
    return make_status_error(
        404,
        "NotFound",
        fmt::format("{} \"{}\" not found", to_string(resource), name),
        details_of(resource, name)
    );
}

Error resource_not_found() {
    return make_status_error(
        404, "NotFound", "the server could not find the requested resource", Object{}
    );
}

Error method_not_allowed() {
    return make_status_error(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
        Object{}
    );
}

Error bad_request(std::string message) {
    return make_status_error(400, "BadRequest", std::move(message));
}

Error already_exists(GroupName resource, std::string_view name) {
    return make_status_error(
        409,
        "AlreadyExists",
        fmt::format("{} \"{}\" already exists", to_string(resource), name),
        details_of(resource, name)
    );
}

Error conflict(GroupName resource, std::string_view name, std::string_view why) {
    return make_status_error(
        409,
        "Conflict",
        fmt::format(
            "Operation cannot be fulfilled on {} \"{}\": {}", to_string(resource), name, why
        ),
        details_of(resource, name)
    );
}

Error stale_object(GroupName resource, std::string_view name) {
    return conflict(
        resource,
        name,
        "the object has been modified; please apply your changes to the latest version and try "
        "again"
    );
}

Error forbidden_request(
    GroupName resource,
    std::string_view name,
    std::string_view why,
    const std::vector<Cause>& causes
) {
    return make_status_error(
        403,
        "Forbidden",
        fmt::format("{} \"{}\" is forbidden: {}", to_string(resource), name, why),
        details_of(resource, name, causes)
    );
}

Error invalid_object(GroupName kind, std::string_view name, const std::vector<Cause>& causes) {
    return make_status_error(
        422,
        "Invalid",
        fmt::format("{} \"{}\" is invalid: {}", to_string(kind), name, aggregate_text(causes)),
        details_of(kind, name, causes)
    );
}

Error invalid_options(std::string_view kind, const std::vector<Cause>& causes) {
    return invalid_object({"meta.k8s.io", kind}, "", causes);
}

Error expired(std::string message) {
    return make_status_error(410, "Expired", std::move(message));
}

Error internal_error(std::string_view why) {
    Value cause{Object{}};
    cause.set("message", why);
    Value details{Object{}};
    details.set("causes", Array{std::move(cause)});
    return make_status_error(
        500, "InternalError", fmt::format("Internal error occurred: {}", why), details
    );
}

int http_status_of(const Error& error) {
    if (!error.status.empty()) {
        if (const auto status = json::parse(error.status)) {
            const Value* code = status->find("code");
            if (code != nullptr && code->is_int()) {
                return static_cast<int>(code->as_int());
            }
        }
    }
    switch (error.code) {
        case ErrorCode::Invalid:
            return 400;
        case ErrorCode::NotFound:
            return 404;
        case ErrorCode::AlreadyExists:
        case ErrorCode::Conflict:
            return 409;
        case ErrorCode::Gone:
            return 410;
        case ErrorCode::Forbidden:
            return 403;
        case ErrorCode::Unauthorized:
            return 401;
        case ErrorCode::TooManyRequests:
            return 429;
        case ErrorCode::Timeout:
            return 504;
        case ErrorCode::Unavailable:
            return 503;
        case ErrorCode::Canceled:
        case ErrorCode::Internal:
        case ErrorCode::NotLeader:
            return 500;
    }
    return 500;
}

std::string status_text(const Error& error) {
    if (!error.status.empty()) {
        return error.status;
    }
    const int code = http_status_of(error);
    return make_status_error(code, code == 400 ? "BadRequest" : "", error.detail).status;
}

}  // namespace sluice::apiserver
