#include "apiserver/open_api.hpp"

#include "apiserver/builtin_schemas.hpp"
#include "apiserver/failures.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace sluice::apiserver {

namespace {

/// The kinds of a group version that definitions define, as its document has them.
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

Response document(const ResourceTable& types, std::string_view group, std::string_view version) {
    return make_response(open_api_document(group, version, custom_kinds(types, group, version)));
}

}  // namespace

Response open_api(const ResourceTable& types, const std::vector<std::string>& parts) {
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
        return document(types, "", parts[3]);
    }
    if (parts[2] == "apis" && parts.size() == 5) {
        return document(types, parts[3], parts[4]);
    }
    return make_response(unknown_path());
}

}  // namespace sluice::apiserver
