#include "apiserver/discovery.hpp"

#include "apiserver/health.hpp"
#include "apiserver/open_api.hpp"
#include "apiserver/types/failures.hpp"
#include "base/sha256.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

constexpr std::string_view kVersion = "v1.36.3";

json::Array texts(const std::vector<std::string>& list) {
    return {list.begin(), list.end()};
}

/// Returns storageVersionHash, the beginning of a hash that changes with the version in which
/// objects are stored.
std::string storage_hash(const ResourceType& type) {
    constexpr std::size_t kBytes = 8;
    const std::string hash =
        sha256_hex(fmt::format("{}/{}/{}", type.group, type.version, type.kind));
    std::string bytes;
    for (std::size_t i = 0; i < kBytes; ++i) {
        bytes += static_cast<char>(std::stoi(hash.substr(2 * i, 2), nullptr, 16));
    }
    return kube::encode_base64(bytes);
}

json::Value resource_list(
    const ResourceTable& types, std::string_view group, std::string_view version
) {
    json::Array resources;
    for (const auto& type : types.all()) {
        if (type->group != group || type->version != version) {
            continue;
        }
        json::Value made = json::Object{
            {"name", type->plural},
            {"singularName", type->singular},
            {"namespaced", type->is_namespaced},
            {"kind", type->kind},
            {"verbs", texts(type->verbs)}
        };
        if (!type->short_names.empty()) {
            made.set("shortNames", texts(type->short_names));
        }
        if (!type->categories.empty()) {
            made.set("categories", texts(type->categories));
        }
        if (!type->is_review) {
            made.set("storageVersionHash", storage_hash(*type));
        }
        resources.push_back(std::move(made));
        for (const Subresource& part : type->subresources) {
            json::Value below = json::Object{
                {"name", type->plural + "/" + part.name},
                {"singularName", ""},
                {"namespaced", type->is_namespaced},
                {"kind", part.kind},
                {"verbs", texts(part.verbs)}
            };
            if (part.group != type->group || part.version != type->version) {
                below.set("group", part.group);
                below.set("version", part.version);
            }
            resources.push_back(std::move(below));
        }
    }
    return json::Object{
        {"kind", "APIResourceList"},
        {"apiVersion", "v1"},
        {"groupVersion", group.empty() ? std::string(version) : fmt::format("{}/{}", group, version)
        },
        {"resources", std::move(resources)}
    };
}

std::vector<std::string> groups_of(const ResourceTable& types) {
    std::vector<std::string> groups;
    for (const auto& type : types.all()) {
        const bool is_known = std::ranges::find(groups, type->group) != groups.end();
        if (!type->group.empty() && !is_known) {
            groups.push_back(type->group);
        }
    }
    return groups;
}

json::Value group_version(const std::string& group, const std::string& version) {
    return json::Object{{"groupVersion", group + "/" + version}, {"version", version}};
}

json::Value group_entry(const ResourceTable& types, const std::string& group) {
    json::Array versions;
    for (const std::string& version : types.versions(group)) {
        versions.push_back(group_version(group, version));
    }
    json::Value preferred = versions.front();
    return json::Object{
        {"name", group}, {"versions", std::move(versions)}, {"preferredVersion", preferred}
    };
}

json::Value aggregated(const ResourceTable& types, bool is_core) {
    json::Array items;
    std::vector<std::string> groups = is_core ? std::vector<std::string>{""} : groups_of(types);
    for (const std::string& group : groups) {
        json::Array versions;
        for (const std::string& version : types.versions(group)) {
            json::Array resources;
            for (const auto& type : types.all()) {
                if (type->group != group || type->version != version) {
                    continue;
                }
                json::Array below;
                for (const Subresource& part : type->subresources) {
                    below.emplace_back(json::Object{
                        {"subresource", part.name},
                        {"responseKind",
                         json::Object{
                             {"group", part.group}, {"version", part.version}, {"kind", part.kind}
                         }},
                        {"verbs", texts(part.verbs)}
                    });
                }
                json::Value made = json::Object{
                    {"resource", type->plural},
                    {"responseKind",
                     json::Object{
                         {"group", type->group}, {"version", type->version}, {"kind", type->kind}
                     }},
                    {"scope", type->is_namespaced ? "Namespaced" : "Cluster"},
                    {"singularResource", type->singular},
                    {"verbs", texts(type->verbs)}
                };
                if (!type->short_names.empty()) {
                    made.set("shortNames", texts(type->short_names));
                }
                if (!type->categories.empty()) {
                    made.set("categories", texts(type->categories));
                }
                if (!below.empty()) {
                    made.set("subresources", std::move(below));
                }
                resources.push_back(std::move(made));
            }
            versions.emplace_back(json::Object{
                {"version", version}, {"resources", std::move(resources)}, {"freshness", "Current"}
            });
        }
        json::Value metadata = json::Object();
        if (!group.empty()) {
            metadata.set("name", group);
        }
        items.emplace_back(
            json::Object{{"metadata", std::move(metadata)}, {"versions", std::move(versions)}}
        );
    }
    return json::Object{
        {"kind", "APIGroupDiscoveryList"},
        {"apiVersion", "apidiscovery.k8s.io/v2"},
        {"metadata", json::Object()},
        {"items", std::move(items)}
    };
}

std::optional<Response> root(const ResourceTable& types, const Request& request) {
    const bool is_core = !request.path.starts_with("/apis");
    if (request.accept.find("g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList") !=
        std::string::npos) {
        Response response = make_response(aggregated(types, is_core));
        response.content_type =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        return response;
    }
    if (is_core) {
        return make_response(json::Object{
            {"kind", "APIVersions"},
            {"versions", json::Array{"v1"}},
            {"serverAddressByClientCIDRs", json::Array()}
        });
    }
    json::Array groups;
    for (const std::string& group : groups_of(types)) {
        groups.push_back(group_entry(types, group));
    }
    return make_response(
        json::Object{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}}
    );
}

Response version_entry() {
    return make_response(json::Object{
        {"major", "1"},
        {"minor", "36"},
        {"emulationMajor", "1"},
        {"emulationMinor", "36"},
        {"minCompatibilityMajor", "1"},
        {"minCompatibilityMinor", "35"},
        {"gitVersion", kVersion},
        {"gitCommit", ""},
        {"gitTreeState", "clean"},
        {"buildDate", "1970-01-01T00:00:00Z"},
        {"goVersion", ""},
        {"compiler", ""},
        {"platform", "linux/amd64"}
    });
}

std::vector<std::string> split_at_slashes(std::string_view path) {
    std::vector<std::string> segments;
    while (!path.empty()) {
        const std::string_view part = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(path.size(), part.size() + 1));
        if (!part.empty()) {
            segments.emplace_back(part);
        }
    }
    return segments;
}

}  // namespace

std::optional<Response> discover(const ResourceTable& types, const Request& request) {
    const std::vector<std::string> parts = split_at_slashes(request.path);
    if (parts.empty()) {
        return make_response(json::Object{{"paths", json::Array{"/api", "/apis", "/version"}}});
    }
    const std::string& first = parts.front();
    if (auto health = answer_health(parts, request)) {
        return health;
    }
    if (first == "version" && parts.size() == 1) {
        return version_entry();
    }
    if (first == "openapi") {
        return open_api(types, parts, request.accept);
    }
    if ((first == "api" || first == "apis") && parts.size() == 1) {
        return root(types, request);
    }
    if (first == "api" && parts.size() == 2 && parts[1] == "v1") {
        return make_response(resource_list(types, "", "v1"));
    }
    if (first == "apis" && parts.size() == 2) {
        if (types.versions(parts[1]).empty()) {
            return no_page();
        }
        json::Value group = group_entry(types, parts[1]);
        group.set("kind", "APIGroup");
        group.set("apiVersion", "v1");
        return make_response(group);
    }
    if (first == "apis" && parts.size() == 3) {
        const auto versions = types.versions(parts[1]);
        if (std::ranges::find(versions, parts[2]) == versions.end()) {
            return std::nullopt;
        }
        return make_response(resource_list(types, parts[1], parts[2]));
    }
    return std::nullopt;
}

}  // namespace sluice::apiserver
