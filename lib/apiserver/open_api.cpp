#include "apiserver/open_api.hpp"

#include "apiserver/failures.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace sluice::apiserver {

namespace {

/// `io.x-k8s.kueue.v1beta2.ClusterQueue`: the group's labels the other way round.
std::string schema_name(const ResourceType& type) {
    std::string reversed;
    std::string_view group =
        type.group.empty() ? std::string_view("core.k8s.io") : std::string_view(type.group);
    while (!group.empty()) {
        const std::size_t dot = group.rfind('.');
        const std::size_t start = dot == std::string_view::npos ? 0 : dot + 1;
        reversed += std::string(group.substr(start)) + ".";
        group = dot == std::string_view::npos ? std::string_view() : group.substr(0, dot);
    }
    return fmt::format("{}{}.{}", reversed, type.version, type.kind);
}

json::Value document(const ResourceTable& types, std::string_view group, std::string_view version) {
    json::Value schemas = json::Object();
    json::Value paths = json::Object();
    for (const auto& type : types.all()) {
        if (type->group != group || type->version != version) {
            continue;
        }
        json::Value schema =
            type->schema ? *type->schema : json::Value(json::Object{{"type", "object"}});
        const json::Value identity =
            json::Object{{"group", type->group}, {"version", type->version}, {"kind", type->kind}};
        schema.set("x-kubernetes-group-version-kind", json::Array{identity});
        const std::string name = schema_name(*type);
        schemas.set(name, std::move(schema));
        const std::string root =
            type->group.empty() ? "/api/" + type->version : "/apis/" + type->api_version();
        const std::string path =
            root + (type->is_namespaced ? "/namespaces/{namespace}/" : "/") + type->plural;
        const json::Value reference = json::Object{{"$ref", "#/components/schemas/" + name}};
        json::Value operation = json::Object{
            {"x-kubernetes-action", "post"}, {"x-kubernetes-group-version-kind", identity}
        };
        operation.set(
            "requestBody",
            json::Object{{"content", json::Object{{"*/*", json::Object{{"schema", reference}}}}}}
        );
        // kubectl looks here whether the server checks fields.
        operation.set(
            "parameters",
            json::Array{
                json::Object{{"name", "dryRun"}, {"in", "query"}},
                json::Object{{"name", "fieldManager"}, {"in", "query"}},
                json::Object{{"name", "fieldValidation"}, {"in", "query"}}
            }
        );
        json::Value patch = operation;
        patch.set("x-kubernetes-action", "patch");
        paths.set(path, json::Object{{"post", std::move(operation)}});
        paths.set(path + "/{name}", json::Object{{"patch", std::move(patch)}});
    }
    return json::Object{
        {"openapi", "3.0.0"},
        {"info", json::Object{{"title", "Kubernetes"}, {"version", "v1.36.3"}}},
        {"paths", std::move(paths)},
        {"components", json::Object{{"schemas", std::move(schemas)}}}
    };
}

}  // namespace

Response open_api(
    const ResourceTable& types, const Request& request, const std::vector<std::string>& parts
) {
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
    (void)request;
    if (parts[2] == "api" && parts.size() == 4) {
        return make_response(document(types, "", parts[3]));
    }
    if (parts[2] == "apis" && parts.size() == 5) {
        return make_response(document(types, parts[3], parts[4]));
    }
    return make_response(unknown_path());
}

}  // namespace sluice::apiserver
