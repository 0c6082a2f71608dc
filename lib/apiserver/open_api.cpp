#include "apiserver/open_api.hpp"

#include "apiserver/builtin_schemas.hpp"
#include "base/sha256.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Object;
using json::Value;

std::vector<OpenApiKind> custom_kinds(
    const Core& core, std::string_view group, std::string_view version
) {
    std::vector<OpenApiKind> kinds;
    for (const auto& [key, resource] : core.registry.all()) {
        const auto* described = resource->version(version);
        if (key.first != group || !resource->is_custom || described == nullptr
            || !described->served) {
            continue;
        }
        OpenApiKind kind{
            .group = resource->group,
            .version = described->name,
            .kind = resource->kind,
            .plural = resource->plural,
            .namespaced = resource->namespaced,
            .subresources = {},
            .schema = described->open_api_schema,
        };
        for (const auto& subresource : described->subresources) {
            kind.subresources.push_back(subresource.name);
        }
        kinds.push_back(std::move(kind));
    }
    return kinds;
}

std::string document_path(std::string_view group, std::string_view version) {
    return group.empty() ? fmt::format("api/{}", version)
                         : fmt::format("apis/{}/{}", group, version);
}

/// The index: a path for each group version, with a hash by which clients cache it.
Value index(const Core& core) {
    Value paths{Object{}};
    for (const auto& group : core.registry.groups()) {
        for (const auto& version : core.registry.versions_of(group)) {
            const auto path = document_path(group, version);
            const auto stamp = fmt::format(
                "{}:{}:{}", core.options.git_version, path, core.registry.revision()
            );
            Value entry{Object{}};
            entry.set(
                "serverRelativeURL",
                fmt::format("/openapi/v3/{}?hash={}", path, sha256_hex(stamp))
            );
            paths.set(path, std::move(entry));
        }
    }
    Value out{Object{}};
    out.set("paths", std::move(paths));
    return out;
}

Value swagger(const Core& core) {
    Value info{Object{}};
    info.set("title", "Kubernetes");
    info.set("version", core.options.git_version);
    Value out{Object{}};
    out.set("swagger", "2.0");
    out.set("info", std::move(info));
    out.set("paths", Object{});
    out.set("definitions", Object{});
    return out;
}

}  // namespace

std::optional<Response> serve_open_api(
    const Core& core, const Request& request, std::string_view path
) {
    static constexpr std::string_view kRoot = "/openapi/v3/";
    Response response;
    if (path == "/openapi/v2") {
        // Clients ask for protocol buffers first, and take JSON when they say so.
        if (request.accept.find("json") == std::string::npos
            && request.accept.find("*/*") == std::string::npos && !request.accept.empty()) {
            response.status = 406;
            response.content_type = "text/plain; charset=utf-8";
            return response;
        }
        response.body = json::print(swagger(core));
        return response;
    }
    if (path == "/openapi/v3" || path == kRoot) {
        response.body = json::print(index(core));
        return response;
    }
    if (!path.starts_with(kRoot)) {
        return std::nullopt;
    }
    const auto target = parse_api_path(std::string("/").append(path.substr(kRoot.size())));
    if (!target || !target->plural.empty()) {
        return std::nullopt;
    }
    const auto versions = core.registry.versions_of(target->group);
    if (std::ranges::find(versions, target->version) == versions.end()) {
        return std::nullopt;
    }
    response.body = json::print(open_api_document(
        target->group, target->version, custom_kinds(core, target->group, target->version)
    ));
    return response;
}

}  // namespace sluice::apiserver
