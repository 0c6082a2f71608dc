#include "controller/commands/cluster_setup.hpp"

#include "api/crd.hpp"
#include "api/kueue_names.hpp"
#include "api/scheme.hpp"
#include "config/validation.hpp"
#include "controller/commands/webhook_manifest.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace sluice::commands {

Result<std::vector<json::Value>> setup_objects() {
    std::vector<json::Value> objects;
    for (const api::KindInfo& kind : api::all_kinds()) {
        if (kind.group == api::kKueueGroup) {
            objects.push_back(api::make_crd(kind));
        }
    }
    objects.push_back(json::Object{
        {"apiVersion", "v1"},
        {"kind", "Namespace"},
        {"metadata", json::Object{{"name", kEmbeddedNamespace}}}
    });
    for (yaml::Document& document : yaml::parse_documents(webhook_manifest())) {
        if (!document.value) {
            return document.value.error();
        }
        objects.push_back(std::move(*document.value));
    }
    return objects;
}

json::Value make_configuration() {
    json::Array frameworks;
    for (const config::Framework& framework : config::known_frameworks()) {
        frameworks.emplace_back(framework.name);
    }
    return json::Object{
        {"apiVersion", api::kConfigV1beta2},
        {"kind", "Configuration"},
        {"namespace", kEmbeddedNamespace},
        {"health", json::Object{{"healthProbeBindAddress", "0"}}},
        {"metrics", json::Object{{"bindAddress", "0"}}},
        {"leaderElection", json::Object{{"leaderElect", false}}},
        {"clientConnection", json::Object{{"qps", -1}}},
        {"integrations", json::Object{{"frameworks", std::move(frameworks)}}}
    };
}

std::vector<json::Value> items_of(json::Value document) {
    json::Value* items = document.find("items");
    if (!document.string_at("kind").ends_with("List") || items == nullptr || !items->is_array()) {
        return {std::move(document)};
    }
    return std::move(items->as_array());
}

Result<apiserver::Request> make_apply_request(
    const apiserver::ResourceTable& types, const json::Value& object, std::string_view manager
) {
    const std::string api_version(object.string_at("apiVersion"));
    const std::string kind(object.string_at("kind"));
    const std::size_t slash = api_version.find('/');
    const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
    const std::string version =
        slash == std::string::npos ? api_version : api_version.substr(slash + 1);
    const auto type = types.find_kind(group, version, kind);
    const json::Value* metadata = object.find("metadata");
    const std::string name(metadata == nullptr ? "" : metadata->string_at("name"));
    if (type == nullptr || name.empty()) {
        return make_invalid(
            type == nullptr
                ? fmt::format("no matches for kind \"{}\" in version \"{}\"", kind, api_version)
                : fmt::format("a {} without metadata.name", kind)
        );
    }
    std::string ns(metadata->string_at("namespace"));
    ns = ns.empty() ? "default" : ns;
    const std::string root = group.empty() ? "/api/" + version : "/apis/" + api_version;
    apiserver::Request request = apiserver::make_request(
        "PATCH",
        type->is_namespaced ? fmt::format("{}/namespaces/{}/{}/{}", root, ns, type->plural, name)
                            : fmt::format("{}/{}/{}", root, type->plural, name)
    );
    request.query.emplace("fieldManager", manager);
    request.query.emplace("force", "true");
    request.content_type = "application/apply-patch+yaml";
    request.user_agent = manager;
    request.body = json::print(object);
    return request;
}

Result<void> read_answer(const apiserver::Response& response) {
    if (response.status < 400) {
        return {};
    }
    const auto status = json::parse(response.body);
    return make_invalid(std::string(status ? status->string_at("message") : response.body));
}

}  // namespace sluice::commands
