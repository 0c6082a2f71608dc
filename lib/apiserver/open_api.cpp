#include "apiserver/open_api.hpp"

#include "apiserver/objects/values.hpp"
#include "apiserver/protobuf/swagger_protobuf.hpp"
#include "apiserver/types/builtin_schemas.hpp"
#include "apiserver/types/failures.hpp"
#include "base/assert.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>

namespace sluice::apiserver {

namespace {

/// Returns the custom kinds of a group version.
std::vector<OpenApiKind> custom_kinds(
    const ResourceTable& types, std::string_view group, std::string_view version
) {
    std::vector<OpenApiKind> kinds;
    for (const auto& type : types.all()) {
        if (!type->is_custom || type->group != group || type->version != version) {
            continue;
        }
        OpenApiKind kind{
            .group = type->group,
            .version = type->version,
            .kind = type->kind,
            .plural = type->plural,
            .namespaced = type->is_namespaced,
            .subresources = {},
            .schema = type->schema == nullptr ? json::Value() : *type->schema
        };
        for (const Subresource& part : type->subresources) {
            kind.subresources.push_back(part.name);
        }
        kinds.push_back(std::move(kind));
    }
    return kinds;
}

/// Removes the parts of a custom resource's schema that OpenAPI v2 cannot express.
void simplify(json::Value& schema) {
    if (schema.is_array()) {
        for (json::Value& each : schema.as_array()) {
            simplify(each);
        }
        return;
    }
    if (!schema.is_object()) {
        return;
    }
    for (const char* name : {"anyOf", "oneOf", "not"}) {
        schema.erase(name);
    }
    const bool is_nullable = is_true(schema, "nullable");
    if (is_nullable || is_true(schema, "x-kubernetes-preserve-unknown-fields")) {
        schema.erase("items");
        schema.erase("properties");
    }
    if (is_nullable) {
        for (const char* name : {"type", "nullable", "additionalProperties"}) {
            schema.erase(name);
        }
    }
    for (const char* name : {"items", "additionalProperties", "allOf"}) {
        if (json::Value* below = schema.find(name)) {
            simplify(*below);
        }
    }
    if (json::Value* properties = schema.find("properties");
        properties != nullptr && properties->is_object()) {
        for (auto& [name, property] : properties->as_object()) {
            simplify(property);
        }
    }
}

/// Returns all kinds in one OpenAPI v2 document, without paths.
Response whole_document(const ResourceTable& types, std::string_view accept) {
    json::Value definitions = json::Object();
    std::set<std::pair<std::string, std::string>> versions;
    for (const auto& type : types.all()) {
        versions.emplace(type->group, type->version);
    }
    for (const auto& [group, version] : versions) {
        auto kinds = custom_kinds(types, group, version);
        for (OpenApiKind& kind : kinds) {
            simplify(kind.schema);
        }
        json::Value document = open_api_document(group, version, kinds);
        for (auto& [name, schema] : document.find("components")->find("schemas")->as_object()) {
            // The fields of an object that may have any fields are not described.
            if (is_true(schema, "x-kubernetes-preserve-unknown-fields")) {
                constexpr std::string_view kKinds = "x-kubernetes-group-version-kind";
                schema =
                    json::Object{{"type", "object"}, {std::string(kKinds), *schema.find(kKinds)}};
            }
            definitions.set(name, std::move(schema));
        }
    }
    Response response = make_response(json::Object{
        {"swagger", "2.0"},
        {"info", json::Object{{"title", "Kubernetes"}, {"version", "v1.36.3"}}},
        {"paths", json::Object()},
        {"definitions", std::move(definitions)}
    });
    constexpr std::string_view kFrom = "#/components/schemas/";
    constexpr std::string_view kTo = "#/definitions/";
    std::string body;
    for (std::size_t at = 0; at < response.body.size();) {
        const std::size_t found = response.body.find(kFrom, at);
        body.append(response.body, at, found - at);
        if (found == std::string::npos) {
            break;
        }
        body += kTo;
        at = found + kFrom.size();
    }
    constexpr std::string_view kProtobuf = "application/com.github.proto-openapi.spec.v2";
    if (accept.starts_with(kProtobuf)) {
        const auto document = json::parse(body);
        SLUICE_ASSERT(document.has_value());
        response.content_type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
        body = encode_swagger(*document);
    }
    response.body = std::move(body);
    return response;
}

Response make_document(
    const ResourceTable& types, std::string_view group, std::string_view version
) {
    return make_response(open_api_document(group, version, custom_kinds(types, group, version)));
}

}  // namespace

Response open_api(
    const ResourceTable& types, const std::vector<std::string>& parts, std::string_view accept
) {
    if (parts.size() == 2 && parts[1] == "v2") {
        return whole_document(types, accept);
    }
    if (parts.size() < 2 || parts[1] != "v3") {
        return make_response(unknown_path());
    }
    if (parts.size() == 2) {
        std::map<std::string, bool> known;
        for (const auto& type : types.all()) {
            known[type->group.empty() ? "api/" + type->version : "apis/" + type->api_version()] =
                true;
        }
        json::Value paths = json::Object();
        for (const auto& [path, is_there] : known) {
            paths.set(
                path, json::Object{{"serverRelativeURL", fmt::format("/openapi/v3/{}", path)}}
            );
        }
        return make_response(json::Object{{"paths", std::move(paths)}});
    }
    if (parts[2] == "api" && parts.size() == 4) {
        return make_document(types, "", parts[3]);
    }
    if (parts[2] == "apis" && parts.size() == 5) {
        return make_document(types, parts[3], parts[4]);
    }
    return make_response(unknown_path());
}

}  // namespace sluice::apiserver
