#include "apiserver/types/body.hpp"

#include "apiserver/protobuf/protobuf.hpp"
#include "apiserver/types/builtin_schemas.hpp"
#include "apiserver/types/duplicate_members.hpp"
#include "apiserver/types/failures.hpp"
#include "base/printable.hpp"
#include "json/tree_builder.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace sluice::apiserver {

namespace {

constexpr std::size_t kBytesMax = std::size_t{3} * 1024 * 1024;
constexpr json::Limits kLimits{.depth = 128, .bytes = kBytesMax};

/// Returns the beginning of a body for a message: as text if the body is an object, else in
/// hexadecimal.
std::string summary(std::string_view body) {
    constexpr std::size_t kShown = 30;
    if (body.empty()) {
        return "<empty>";
    }
    const std::string_view beginning = body.substr(0, kShown);
    std::string text;
    if (body.front() == '{') {
        text = beginning;
    } else {
        for (const char c : beginning) {
            text += fmt::format("{:02x}", static_cast<unsigned char>(c));
        }
    }
    return body.size() > kShown ? text + " ..." : text;
}

Error unrecognized(std::string_view expected, std::string_view why, std::string_view body) {
    return bad_request(fmt::format(
        "the object provided is unrecognized (must be of type {}): {} ({})",
        expected,
        why,
        summary(body)
    ));
}

std::string_view json_type(const json::Value& value) {
    return value.is_array()    ? "array"
           : value.is_string() ? "string"
           : value.is_bool()   ? "bool"
                               : "number";
}

Error no_object(std::string_view expected, const json::Value& value, std::string_view body) {
    return unrecognized(
        expected,
        fmt::format(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go value "
            "of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind "
            "string "
            "\"json:\\\"kind,omitempty\\\"\" }}",
            json_type(value)
        ),
        body
    );
}

Result<Body> read_json(std::string_view text, std::string_view expected) {
    json::TreeBuilder builder;
    const auto read = json::read(text, builder, kLimits);
    if (!read || !builder.is_complete()) {
        return unrecognized(
            expected, "couldn't get version/kind; json parse error: " + json_fault(text), text
        );
    }
    const bool has_duplicates = builder.repeated_key().has_value();
    Body body{.object = builder.take()};
    if (has_duplicates) {
        for (const std::string& path : find_duplicate_members(text)) {
            body.duplicates.texts.push_back(fmt::format("duplicate field \"{}\"", path));
        }
    }
    return body;
}

/// Returns true if all strings of a value are UTF-8. Requires: the value is not nested too deeply.
bool is_whole_utf8(const json::Value& value) {
    if (value.is_string()) {
        return sluice::is_utf8(value.as_string());
    }
    if (value.is_array()) {
        return std::ranges::all_of(value.as_array(), [](const json::Value& item) {
            return is_whole_utf8(item);
        });
    }
    return !value.is_object() || std::ranges::all_of(value.as_object(), [](const auto& member) {
        return sluice::is_utf8(member.first) && is_whole_utf8(member.second);
    });
}

Result<Body> read_yaml(std::string_view text, std::string_view expected) {
    std::vector<yaml::RepeatedKey> repeated;
    auto read = yaml::parse_document(
        text, {.bytes = kBytesMax, .depth = kLimits.depth, .repeated_keys = &repeated}
    );
    if (!read) {
        return unrecognized(expected, "yaml: " + read.error().detail, text);
    }
    if (!is_whole_utf8(*read)) {
        return unrecognized(expected, "yaml: invalid leading UTF-8 octet", text);
    }
    Body body{.object = std::move(*read), .duplicates = {.texts = {}, .is_yaml = true}};
    for (const auto& [line, key] : repeated) {
        body.duplicates.texts.push_back(
            fmt::format("line {}: key {} already set in map", line, json::print(key))
        );
    }
    return body;
}

/// Returns the name of the Go package of a group: `rbac` for `rbac.authorization.k8s.io`.
std::string_view package_of(std::string_view group) {
    return group.empty() ? std::string_view("core") : group.substr(0, group.find('.'));
}

/// Requires that apiVersion and kind, if the object has them, are those of the type.
Result<void> check_builtin_kind(const json::Value& object, const ResourceType& type) {
    const auto or_else = [](std::string_view text, const std::string& otherwise) {
        return text.empty() ? otherwise : std::string(text);
    };
    const std::string api_version = or_else(object.string_at("apiVersion"), type.api_version());
    const std::string kind = or_else(object.string_at("kind"), type.kind);
    if (api_version == type.api_version() && kind == type.kind) {
        return {};
    }
    const std::size_t slash = api_version.find('/');
    const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
    const std::string version =
        slash == std::string::npos ? api_version : api_version.substr(slash + 1);
    const std::string why = builtin_schema(group, version, kind) == nullptr
                                ? fmt::format(
                                      "no kind \"{}\" is registered for version \"{}\" in scheme "
                                      "\"pkg/runtime/scheme.go:111\"",
                                      kind,
                                      api_version
                                  )
                                : fmt::format(
                                      "converting ({}.{}) to ({}.{}): unknown conversion",
                                      version,
                                      kind,
                                      package_of(type.group),
                                      type.kind
                                  );
    return bad_request(fmt::format(
        "{} in version \"{}\" cannot be handled as a {}: {}", kind, version, type.kind, why
    ));
}

Result<void> check_custom_kind(
    const json::Value& object, const ResourceType& type, std::string_view body
) {
    if (object.string_at("kind").empty()) {
        return unrecognized(type.kind, fmt::format("Object 'Kind' is missing in '{}'", body), body);
    }
    const std::string_view version = object.string_at("apiVersion");
    if (version != type.api_version()) {
        return bad_request(fmt::format(
            "the API version in the data ({}) does not match the expected API version ({})",
            version,
            type.api_version()
        ));
    }
    if (object.string_at("kind") != type.kind) {
        return invalid(
            type,
            object.find("metadata") == nullptr ? std::string_view()
                                               : object.find("metadata")->string_at("name"),
            {api::FieldError::invalid(
                "kind", object.string_at("kind"), fmt::format("must be {}", type.kind)
            )}
        );
    }
    return {};
}

}  // namespace

std::string media_type(std::string_view content_type) {
    std::string type;
    for (const char c : content_type.substr(0, content_type.find(';'))) {
        if (c != ' ') {
            type += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
    }
    return type;
}

std::string json_fault(std::string_view text) {
    const auto fault = json::find_fault(text, kLimits);
    if (!fault || fault->offset >= text.size()) {
        return "unexpected end of JSON input";
    }
    // A byte is shown as the character of that number.
    const auto byte = static_cast<unsigned char>(text[fault->offset]);
    std::string shown(1, static_cast<char>(byte));
    if (byte >= 0x80) {
        shown = {static_cast<char>(0xc0 | (byte >> 6U)), static_cast<char>(0x80 | (byte & 0x3fU))};
    } else if (byte < 0x20) {
        shown = fmt::format("\\x{:02x}", byte);
    }
    return fmt::format("invalid character '{}' looking for beginning of value", shown);
}

Error cannot_be_handled(const ResourceType& type, std::string_view why) {
    return bad_request(fmt::format(
        "{} in version \"{}\" cannot be handled as a {}: {}",
        type.kind,
        type.version,
        type.kind,
        why
    ));
}

Result<Body> read_body(const Request& request, std::string_view expected) {
    const std::string type = media_type(request.content_type);
    if (type == "application/vnd.kubernetes.protobuf") {
        auto object = decode_protobuf(request.body);
        if (!object) {
            return bad_request(object.error().detail);
        }
        if (!is_whole_utf8(*object)) {
            return bad_request("the body contains strings that are not UTF-8");
        }
        return Body{.object = std::move(*object)};
    }
    const bool is_yaml = type == "application/yaml" || type == "application/apply-patch+yaml";
    if (!is_yaml && !type.empty() && type != "application/json") {
        return unsupported_media_type(
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json, application/yaml, application/vnd.kubernetes.protobuf"
        );
    }
    // YAML can write what JSON cannot.
    auto body = is_yaml ? read_yaml(request.body, expected) : read_json(request.body, expected);
    if (body && !body->object.is_object()) {
        return no_object(expected, body->object, request.body);
    }
    return body;
}

Result<Body> read_body_of(const Request& request, const ResourceType& type) {
    auto body = read_body(request, type.kind);
    if (!body) {
        return body;
    }
    const auto checked = type.is_custom ? check_custom_kind(body->object, type, request.body)
                                        : check_builtin_kind(body->object, type);
    if (!checked) {
        return checked.error();
    }
    body->object.set("apiVersion", type.api_version());
    body->object.set("kind", type.kind);
    const json::Value* metadata = body->object.find("metadata");
    if (metadata == nullptr || metadata->is_null()) {
        body->object.set("metadata", json::Object());
    }
    return body;
}

}  // namespace sluice::apiserver
