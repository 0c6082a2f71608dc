#include "apiserver/types/failures.hpp"

#include "base/printable.hpp"
#include "kube/core/status_error.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::apiserver {

namespace {

json::Value details_of(const ResourceType& type, std::string_view name) {
    json::Value details = json::Object();
    if (!name.empty()) {
        details.set("name", name);
    }
    if (!type.group.empty()) {
        details.set("group", type.group);
    }
    details.set("kind", type.plural);
    return details;
}

json::Value to_value(const std::vector<Cause>& causes) {
    json::Array list;
    for (const Cause& cause : causes) {
        json::Value made = json::Object{{"reason", cause.reason}, {"message", cause.message}};
        if (!cause.field.empty()) {
            made.set("field", cause.field);
        }
        list.push_back(std::move(made));
    }
    return list;
}

}  // namespace

Error make_failure(int code, std::string_view reason, std::string message, json::Value details) {
    json::Value status = json::Object{
        {"kind", "Status"},
        {"apiVersion", "v1"},
        {"metadata", json::Object()},
        {"status", "Failure"},
        {"message", message}
    };
    if (!reason.empty()) {
        status.set("reason", reason);
    }
    if (!details.is_null()) {
        status.set("details", std::move(details));
    }
    status.set("code", code);
    return kube::make_status_error(to_utf8(json::print(status)));
}

Error not_found(const ResourceType& type, std::string_view name) {
    return make_failure(
        404,
        "NotFound",
        fmt::format("{} \"{}\" not found", type.resource(), name),
        details_of(type, name)
    );
}

Error already_exists(const ResourceType& type, std::string_view name) {
    return make_failure(
        409,
        "AlreadyExists",
        fmt::format("{} \"{}\" already exists", type.resource(), name),
        details_of(type, name)
    );
}

Error no_free_name(const ResourceType& type, std::string_view name) {
    return make_failure(
        409,
        "AlreadyExists",
        fmt::format(
            "{} \"{}\" already exists, the server was not able to generate a unique name for the "
            "object",
            type.resource(),
            name
        ),
        details_of(type, name)
    );
}

Error conflict(const ResourceType& type, std::string_view name) {
    return conflict(
        type,
        name,
        "the object has been modified; please apply your changes to the latest version and try "
        "again"
    );
}

Error conflict(const ResourceType& type, std::string_view name, std::string_view why) {
    return make_failure(
        409,
        "Conflict",
        fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", type.resource(), name, why),
        details_of(type, name)
    );
}

Error invalid(const ResourceType& type, std::string_view name, const std::vector<Cause>& causes) {
    json::Value details = json::Object();
    if (!name.empty()) {
        details.set("name", name);
    }
    if (!type.group.empty()) {
        details.set("group", type.group);
    }
    if (!type.kind.empty()) {
        details.set("kind", type.kind);
    }
    details.set("causes", to_value(causes));
    return make_failure(
        422,
        "Invalid",
        fmt::format(
            "{} \"{}\" is invalid: {}", type.qualified_kind(), name, aggregate_text(causes)
        ),
        std::move(details)
    );
}

Error invalid_patch(std::string_view object, std::string_view why) {
    const ResourceType none{.group = {}, .version = {}, .kind = {}, .plural = {}, .singular = {}};
    return invalid(none, "", {api::FieldError::invalid("patch", object, why)});
}

Error invalid_options(std::string_view options, const std::vector<Cause>& causes) {
    const ResourceType type{
        .group = "meta.k8s.io",
        .version = "v1",
        .kind = std::string(options),
        .plural = {},
        .singular = {}
    };
    return invalid(type, "", causes);
}

Error forbidden(
    const ResourceType& type,
    std::string_view name,
    std::string_view why,
    const std::vector<Cause>& causes
) {
    json::Value details = details_of(type, name);
    if (!causes.empty()) {
        details.set("causes", to_value(causes));
    }
    return make_failure(
        403,
        "Forbidden",
        fmt::format("{} \"{}\" is forbidden: {}", type.resource(), name, why),
        std::move(details)
    );
}

Error bad_request(std::string message) {
    return make_failure(400, "BadRequest", std::move(message), {});
}

Error method_not_allowed() {
    return make_failure(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
        json::Object()
    );
}

Error unknown_path() {
    return make_failure(
        404, "NotFound", "the server could not find the requested resource", json::Object()
    );
}

Error unsupported_media_type(std::string message) {
    return make_failure(415, "UnsupportedMediaType", std::move(message), {});
}

Error expired(std::string message) {
    return make_failure(410, "Expired", std::move(message), {});
}

Error internal(std::string message) {
    return make_failure(
        500,
        "InternalError",
        "Internal error occurred: " + message,
        json::Object{{"causes", json::Array{json::Object{{"message", message}}}}}
    );
}

Error timed_out() {
    return make_failure(
        504,
        "Timeout",
        "Timeout: request did not complete within requested timeout - context deadline exceeded",
        json::Object()
    );
}

int http_status(const Error& error) {
    const auto status = json::parse(error.status);
    const json::Value* code = status ? status->find("code") : nullptr;
    return code != nullptr && code->is_int() ? static_cast<int>(code->as_int()) : 500;
}

json::Value make_success(json::Value details) {
    return json::Object{
        {"kind", "Status"},
        {"apiVersion", "v1"},
        {"metadata", json::Object()},
        {"status", "Success"},
        {"details", std::move(details)}
    };
}

}  // namespace sluice::apiserver
