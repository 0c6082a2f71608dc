#include "controller/visibility/discovery.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/insight/insight_documents.hpp"

#include <utility>

namespace sluice::controller {

namespace {

constexpr const char* kKind = "PendingWorkloadsSummary";

struct Resource {
    const char* plural;
    const char* singular;
    bool is_namespaced;
};
constexpr Resource kResources[] = {
    {"clusterqueues", "clusterqueue", false}, {"localqueues", "localqueue", true}
};

std::string group_version(std::string_view version) {
    return std::string(api::kVisibilityGroup) + "/" + std::string(version);
}

json::Value make_version(std::string_view version) {
    return json::Object{{"groupVersion", group_version(version)}, {"version", version}};
}

json::Value make_group_body() {
    json::Array versions;
    for (const std::string_view version : kVisibilityVersions) {
        versions.push_back(make_version(version));
    }
    return json::Object{
        {"name", api::kVisibilityGroup},
        {"versions", std::move(versions)},
        {"preferredVersion", make_version(kVisibilityVersions.front())},
    };
}

json::Value make_response_kind(std::string_view version) {
    return json::Object{{"group", api::kVisibilityGroup}, {"version", version}, {"kind", kKind}};
}

}  // namespace

json::Value make_group_list() {
    return json::Object{
        {"kind", "APIGroupList"},
        {"apiVersion", "v1"},
        {"groups", json::Array{make_group_body(), make_insight_group_body()}},
    };
}

json::Value make_group() {
    json::Value group = json::Object{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
    json::Value body = make_group_body();
    for (auto& [name, value] : body.as_object()) {
        group.set(name, std::move(value));
    }
    return group;
}

json::Value make_resource_list(std::string_view version) {
    json::Array resources;
    for (const Resource& resource : kResources) {
        resources.push_back(json::Object{
            {"name", resource.plural},
            {"singularName", resource.singular},
            {"namespaced", resource.is_namespaced},
            {"kind", kKind},
            {"verbs", json::Array{}},
        });
        resources.push_back(json::Object{
            {"name", std::string(resource.plural) + "/pendingworkloads"},
            {"singularName", ""},
            {"namespaced", resource.is_namespaced},
            {"kind", kKind},
            {"verbs", json::Array{"get"}},
        });
    }
    return json::Object{
        {"kind", "APIResourceList"},
        {"apiVersion", "v1"},
        {"groupVersion", group_version(version)},
        {"resources", std::move(resources)},
    };
}

json::Value make_aggregated_discovery() {
    json::Array versions;
    for (const std::string_view version : kVisibilityVersions) {
        json::Array resources;
        for (const Resource& resource : kResources) {
            resources.push_back(json::Object{
                {"resource", resource.plural},
                {"responseKind", make_response_kind(version)},
                {"scope", resource.is_namespaced ? "Namespaced" : "Cluster"},
                {"singularResource", resource.singular},
                {"verbs", json::Array{}},
                {"subresources",
                 json::Array{json::Object{
                     {"subresource", "pendingworkloads"},
                     {"responseKind", make_response_kind(version)},
                     {"verbs", json::Array{"get"}},
                 }}},
            });
        }
        versions.push_back(json::Object{
            {"version", version}, {"resources", std::move(resources)}, {"freshness", "Current"}
        });
    }
    return json::Object{
        {"kind", "APIGroupDiscoveryList"},
        {"apiVersion", "apidiscovery.k8s.io/v2"},
        {"metadata", json::Object{}},
        {"items",
         json::Array{
             json::Object{
                 {"metadata", json::Object{{"name", api::kVisibilityGroup}}},
                 {"versions", std::move(versions)},
             },
             make_insight_discovery(),
         }},
    };
}

}  // namespace sluice::controller
