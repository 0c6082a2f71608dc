#include "apiserver/discovery.hpp"

#include "apiserver/negotiation.hpp"
#include "base/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

Array strings(const std::vector<std::string>& texts) {
    return {texts.begin(), texts.end()};
}

std::vector<std::string> sorted(std::vector<std::string> texts) {
    std::ranges::sort(texts);
    return texts;
}

std::string join_path(std::string_view group, std::string_view version) {
    return group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
}

/// The resources of a group version that are served, with the description of that version.
std::vector<std::pair<ResourcePtr, const ResourceVersion*>> resources_of(
    const Core& core, std::string_view group, std::string_view version
) {
    std::vector<std::pair<ResourcePtr, const ResourceVersion*>> found;
    for (const auto& [key, resource] : core.registry.all()) {
        const auto* described = resource->version(version);
        if (key.first == group && described != nullptr && described->served) {
            found.emplace_back(resource, described);
        }
    }
    return found;
}

Value api_resource(const Resource& resource) {
    Value entry{Object{}};
    entry.set("name", resource.plural);
    entry.set("singularName", resource.singular);
    entry.set("namespaced", resource.namespaced);
    entry.set("kind", resource.kind);
    entry.set("verbs", strings(resource.verbs));
    if (!resource.short_names.empty()) {
        entry.set("shortNames", strings(resource.short_names));
    }
    if (!resource.categories.empty()) {
        entry.set("categories", strings(resource.categories));
    }
    entry.set("storageVersionHash", sha256_hex(resource.store_name()).substr(0, 11) + "=");
    return entry;
}

Value api_subresource(const Resource& resource, const Subresource& subresource) {
    Value entry{Object{}};
    entry.set("name", fmt::format("{}/{}", resource.plural, subresource.name));
    entry.set("singularName", "");
    entry.set("namespaced", resource.namespaced);
    if (!subresource.group.empty() && subresource.group != resource.group) {
        entry.set("group", subresource.group);
    }
    if (!subresource.version.empty()) {
        entry.set("version", subresource.version);
    }
    entry.set("kind", subresource.kind.empty() ? resource.kind : subresource.kind);
    entry.set("verbs", strings(subresource.verbs));
    return entry;
}

std::optional<Value> resource_list(
    const Core& core, std::string_view group, std::string_view version
) {
    const auto found = resources_of(core, group, version);
    if (found.empty()) {
        return std::nullopt;
    }
    Array list;
    for (const auto& [resource, described] : found) {
        list.push_back(api_resource(*resource));
        for (const auto& subresource : described->subresources) {
            list.push_back(api_subresource(*resource, subresource));
        }
    }
    Value out{Object{}};
    out.set("kind", "APIResourceList");
    if (!group.empty()) {
        out.set("apiVersion", "v1");
    }
    out.set("groupVersion", join_path(group, version));
    out.set("resources", std::move(list));
    return out;
}

Value version_entry(std::string_view group, std::string_view version) {
    Value entry{Object{}};
    entry.set("groupVersion", join_path(group, version));
    entry.set("version", version);
    return entry;
}

Value group_entry(const Core& core, const std::string& group) {
    const auto versions = core.registry.versions_of(group);
    Value entry{Object{}};
    entry.set("name", group);
    Array list;
    for (const auto& version : versions) {
        list.push_back(version_entry(group, version));
    }
    entry.set("versions", std::move(list));
    entry.set("preferredVersion", version_entry(group, versions.front()));
    return entry;
}

Value response_kind(std::string_view group, std::string_view version, std::string_view kind) {
    Value out{Object{}};
    out.set("group", group);
    out.set("version", version);
    out.set("kind", kind);
    return out;
}

Value aggregated_resource(
    const Resource& resource, const ResourceVersion& version, std::string_view group
) {
    Value entry{Object{}};
    entry.set("resource", resource.plural);
    entry.set("responseKind", response_kind(group, version.name, resource.kind));
    entry.set("scope", resource.namespaced ? "Namespaced" : "Cluster");
    entry.set("singularResource", resource.singular);
    entry.set("verbs", strings(sorted(resource.verbs)));
    if (!resource.short_names.empty()) {
        entry.set("shortNames", strings(resource.short_names));
    }
    if (!resource.categories.empty()) {
        entry.set("categories", strings(resource.categories));
    }
    Array list;
    for (const auto& subresource : version.subresources) {
        Value below{Object{}};
        below.set("subresource", subresource.name);
        const bool is_other = !subresource.version.empty();
        below.set(
            "responseKind",
            response_kind(
                is_other ? std::string_view(subresource.group) : group,
                is_other ? subresource.version : version.name,
                subresource.kind.empty() ? resource.kind : subresource.kind
            )
        );
        below.set("verbs", strings(sorted(subresource.verbs)));
        list.push_back(std::move(below));
    }
    if (!list.empty()) {
        entry.set("subresources", std::move(list));
    }
    return entry;
}

Value aggregated_group(const Core& core, const std::string& group) {
    Array versions;
    for (const auto& name : core.registry.versions_of(group)) {
        Array resources;
        for (const auto& [resource, described] : resources_of(core, group, name)) {
            resources.push_back(aggregated_resource(*resource, *described, group));
        }
        Value version{Object{}};
        version.set("version", name);
        version.set("resources", std::move(resources));
        version.set("freshness", "Current");
        versions.push_back(std::move(version));
    }
    Value metadata{Object{}};
    if (!group.empty()) {
        metadata.set("name", group);
    }
    metadata.set("creationTimestamp", nullptr);
    Value entry{Object{}};
    entry.set("metadata", std::move(metadata));
    entry.set("versions", std::move(versions));
    return entry;
}

Response aggregated(const Core& core, bool is_core_group, const std::string& version) {
    Array items;
    for (const auto& group : core.registry.groups()) {
        if (group.empty() == is_core_group && !core.registry.versions_of(group).empty()) {
            items.push_back(aggregated_group(core, group));
        }
    }
    Value out{Object{}};
    out.set("kind", "APIGroupDiscoveryList");
    out.set("apiVersion", "apidiscovery.k8s.io/" + version);
    out.set("metadata", Object{});
    out.set("items", std::move(items));
    Response response;
    response.body = json::print(out);
    response.content_type = fmt::format(
        "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList", version
    );
    response.headers.emplace_back("Vary", "Accept");
    response.headers.emplace_back("Etag", fmt::format("\"{}\"", sha256_hex(response.body)));
    return response;
}

Value core_versions() {
    Value out{Object{}};
    out.set("kind", "APIVersions");
    out.set("versions", Array{"v1"});
    Value address{Object{}};
    address.set("clientCIDR", "0.0.0.0/0");
    address.set("serverAddress", "127.0.0.1");
    out.set("serverAddressByClientCIDRs", Array{std::move(address)});
    return out;
}

Value group_list(const Core& core) {
    Array list;
    for (const auto& group : core.registry.groups()) {
        if (!group.empty() && !core.registry.versions_of(group).empty()) {
            list.push_back(group_entry(core, group));
        }
    }
    Value out{Object{}};
    out.set("kind", "APIGroupList");
    out.set("apiVersion", "v1");
    out.set("groups", std::move(list));
    return out;
}

}  // namespace

std::optional<Response> serve_discovery(
    const Core& core, const Request& request, std::string_view path
) {
    while (path.size() > 1 && path.ends_with('/')) {
        path.remove_suffix(1);
    }
    const bool is_core_group = path == "/api";
    Response response;
    if (is_core_group || path == "/apis") {
        const auto version = aggregated_discovery_version(request.accept);
        if (!version.empty()) {
            return aggregated(core, is_core_group, version);
        }
        response.body = json::print(is_core_group ? core_versions() : group_list(core));
        return response;
    }
    if (path.starts_with("/apis/") && path.find('/', 6) == std::string_view::npos) {
        const std::string group(path.substr(6));
        if (core.registry.versions_of(group).empty()) {
            return std::nullopt;
        }
        Value entry = group_entry(core, group);
        Value out{Object{{"kind", "APIGroup"}, {"apiVersion", "v1"}}};
        for (auto& member : entry.as_object()) {
            out.as_object().push_back(std::move(member));
        }
        response.body = json::print(out);
        return response;
    }
    const auto parsed = parse_api_path(path);
    if (!parsed || !parsed->plural.empty()) {
        return std::nullopt;
    }
    const auto list = resource_list(core, parsed->group, parsed->version);
    if (!list) {
        return std::nullopt;
    }
    response.body = json::print(*list);
    return response;
}

}  // namespace sluice::apiserver
