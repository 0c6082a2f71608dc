#include "apiserver/decode.hpp"

#include "apiserver/builtin_defaults.hpp"
#include "apiserver/duplicate_members.hpp"
#include "apiserver/go_types.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/schema_functions.hpp"
#include "apiserver/values.hpp"
#include "json/tree_builder.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

/// As deep as the API server's own decoder goes.
constexpr json::Limits kJsonLimits{.depth = 128, .bytes = std::size_t{16} * 1024 * 1024};

/// The beginning of a body, for a message.
std::string summary(std::string_view body) {
    static constexpr std::size_t kBytesMax = 1024;
    return body.size() <= kBytesMax
               ? std::string(body)
               : fmt::format("{}... [truncated {} chars]", body.substr(0, kBytesMax), body.size() - kBytesMax);
}

std::string json_fault(std::string_view text) {
    const auto fault = json::find_fault(text, kJsonLimits);
    if (!fault || fault->offset >= text.size()) {
        return "unexpected end of JSON input";
    }
    return fmt::format("invalid character '{}' looking for beginning of value", text[fault->offset]);
}

Error unrecognized(std::string_view kind, std::string_view why, std::string_view body) {
    return bad_request(fmt::format(
        "the object provided is unrecognized (must be of type {}): couldn't get version/kind; json "
        "parse error: {} ({})",
        kind,
        why,
        summary(body)
    ));
}

Result<ParsedBody> parse_json(std::string_view text, std::string_view kind) {
    json::TreeBuilder builder;
    const auto read = json::read(text, builder, kJsonLimits);
    if (!read || !builder.is_complete()) {
        return unrecognized(kind, json_fault(text), text);
    }
    const bool has_duplicates = builder.repeated_key().has_value();
    ParsedBody body{.value = builder.take(), .duplicates = {}};
    if (has_duplicates) {
        body.duplicates = find_duplicate_members(text);
    }
    return body;
}

Result<ParsedBody> parse_yaml(std::string_view text) {
    auto parsed = yaml::parse_document(text);
    if (!parsed) {
        return bad_request(
            fmt::format("error decoding YAML: error converting YAML to JSON: yaml: {}", parsed.error().detail)
        );
    }
    return ParsedBody{.value = std::move(*parsed), .duplicates = {}};
}

Error unsupported_media_type() {
    return make_status_error(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json, application/yaml, application/vnd.kubernetes.protobuf"
    );
}

Error cannot_be_handled(const Scope& scope, std::string_view why) {
    return bad_request(fmt::format(
        "{} in version \"{}\" cannot be handled as a {}: {}",
        scope.resource->kind,
        scope.version->name,
        scope.resource->kind,
        why
    ));
}

/// apiVersion and kind of the object must be those of the resource; a built-in one need not say.
Result<void> check_type(const Scope& scope, Value& object) {
    const std::string kind(object.string_at("kind"));
    const std::string api_version(object.string_at("apiVersion"));
    const auto& expected = scope.resource->kind;
    if (scope.resource->is_custom) {
        if (kind.empty()) {
            return bad_request(
                fmt::format("Object 'Kind' is missing in '{}'", summary(scope.request.body))
            );
        }
        if (api_version.empty()) {
            return bad_request(fmt::format(
                "the API version in the data () does not match the expected API version ({})",
                scope.api_version()
            ));
        }
        if (api_version != scope.api_version()) {
            return bad_request(fmt::format(
                "the API version in the data ({}) does not match the expected API version ({})",
                api_version,
                scope.api_version()
            ));
        }
        return {};
    }
    if ((kind.empty() || kind == expected)
        && (api_version.empty() || api_version == scope.api_version())) {
        return {};
    }
    const auto shown_kind = kind.empty() ? expected : kind;
    const auto shown_version = api_version.empty() ? scope.api_version() : api_version;
    const auto why =
        kind == expected
            ? fmt::format(
                  "no kind \"{}\" is registered for version \"{}\" in scheme "
                  "\"pkg/runtime/scheme.go:111\"",
                  shown_kind,
                  shown_version
              )
            : fmt::format(
                  "converting (v1.{}) to (core.{}): unknown conversion", shown_kind, expected
              );
    return bad_request(fmt::format(
        "{} in version \"{}\" cannot be handled as a {}: {}",
        shown_kind,
        shown_version,
        expected,
        why
    ));
}

/// Puts kind and apiVersion first, as they are printed.
void set_type(const Scope& scope, Value& object) {
    auto& members = object.as_object();
    std::erase_if(members, [](const json::Member& member) {
        return member.first == "kind" || member.first == "apiVersion";
    });
    members.insert(members.begin(), {"apiVersion", Value(scope.api_version())});
    members.insert(members.begin(), {"kind", Value(scope.resource->kind)});
}

Result<void> report_strict(Scope& scope, const std::vector<std::string>& faults) {
    if (faults.empty() || scope.field_validation == FieldValidation::Ignore) {
        return {};
    }
    if (scope.field_validation == FieldValidation::Warn) {
        for (const auto& fault : faults) {
            scope.warn(fault);
        }
        return {};
    }
    const auto text = fmt::format("strict decoding error: {}", fmt::join(faults, ", "));
    return scope.resource->is_custom ? bad_request(text) : cannot_be_handled(scope, text);
}

}  // namespace

Result<ParsedBody> parse_body(const Core& core, const Request& request, std::string_view kind) {
    if (request.body.size() > core.options.body_bytes_max) {
        return make_status_error(
            413,
            "RequestEntityTooLarge",
            fmt::format(
                "Request entity too large: limit is {}", core.options.body_bytes_max
            )
        );
    }
    const auto type = media_type(request.content_type);
    if (type.empty() || type == "application/json") {
        return parse_json(request.body, kind);
    }
    if (type == "application/yaml") {
        return parse_yaml(request.body);
    }
    return unsupported_media_type();
}

Result<Value> decode_object(const Core& core, Scope& scope) {
    auto body = parse_body(core, scope.request, scope.resource->kind);
    if (!body) {
        return body.error();
    }
    if (!body->value.is_object()) {
        return unrecognized(
            scope.resource->kind,
            "json: cannot unmarshal into Go value of type struct",
            scope.request.body
        );
    }
    if (const auto checked = check_type(scope, body->value); !checked) {
        return checked.error();
    }
    const auto normal =
        normalize_object(scope, body->value, true, std::move(body->duplicates));
    if (!normal) {
        return normal.error();
    }
    return std::move(body->value);
}

Result<void> normalize_object(
    Scope& scope, Value& object, bool reports_unknown, std::vector<std::string> duplicates
) {
    const auto schema = schema_of(*scope.resource, *scope.version);
    std::vector<std::string> faults;
    if (schema != nullptr) {
        if (!scope.resource->is_custom) {
            if (const auto fault = find_type_fault(*schema, scope.resource->kind, object)) {
                return cannot_be_handled(scope, *fault);
            }
        }
        for (const auto& path : prune(*schema, object)) {
            faults.push_back(fmt::format("unknown field \"{}\"", path));
        }
    }
    for (const auto& path : duplicates) {
        faults.push_back(fmt::format("duplicate field \"{}\"", path));
    }
    if (reports_unknown) {
        if (const auto reported = report_strict(scope, faults); !reported) {
            return reported.error();
        }
    }
    set_type(scope, object);
    if (scope.resource->is_custom) {
        if (schema != nullptr) {
            apply_defaults(*schema, object);
        }
    } else {
        apply_builtin_defaults(
            scope.resource->group, scope.version->name, scope.resource->kind, object
        );
    }
    return {};
}

Result<void> match_url(const Scope& scope, Value& object, bool checks_name) {
    Value& metadata = metadata_of(object);
    if (scope.resource->namespaced) {
        const auto written = metadata.string_at("namespace");
        if (!written.empty() && written != scope.namespace_) {
            return bad_request(
                "the namespace of the provided object does not match the namespace sent on the "
                "request"
            );
        }
        metadata.set("namespace", scope.namespace_);
    } else if (!metadata.string_at("namespace").empty()) {
        metadata.erase("namespace");
    }
    if (!checks_name) {
        return {};
    }
    const auto written = metadata.string_at("name");
    if (written.empty()) {
        metadata.set("name", scope.name);
    } else if (written != scope.name) {
        return bad_request(fmt::format(
            "the name of the object ({}) does not match the name on the URL ({})",
            written,
            scope.name
        ));
    }
    return {};
}

}  // namespace sluice::apiserver
