#include "cluster_world.hpp"

#include "api/meta/micro_time.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/node_spec.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::test {

ClusterWorld::ClusterWorld(sim::SimulatedCluster::Options options)
    : now_(*api::parse_time("2026-01-01T00:00:00Z")),
      server_({}, now_),
      cluster_(server_, std::move(options)) {
    const auto nodes = sim::make_nodes("node: 1x cpu=64,memory=64Gi");
    cluster_.add_node(nodes->front(), now_);
    cluster_.run(now_);
}

apiserver::Response ClusterWorld::ask(
    std::string_view method, const std::string& path, std::string_view body, std::string_view type
) {
    apiserver::Request request = apiserver::make_request(method, path);
    request.content_type = type;
    request.body = body;
    return server_.handle(std::move(request), now_);
}

void ClusterWorld::create_yaml(std::string_view yaml) {
    create(*yaml::parse_document(yaml));
}

void ClusterWorld::create(const json::Value& object) {
    const std::string api_version(object.string_at("apiVersion"));
    const std::size_t slash = api_version.find('/');
    const bool has_group = slash != std::string::npos;
    const auto type = server_.state().types.find_kind(
        has_group ? api_version.substr(0, slash) : "",
        has_group ? api_version.substr(slash + 1) : api_version,
        object.string_at("kind")
    );
    REQUIRE(type != nullptr);
    const std::string_view ns = sim::text_at(object, {"metadata", "namespace"});
    const std::string path = fmt::format(
        "/{}/{}{}/{}",
        has_group ? "apis" : "api",
        api_version,
        type->is_namespaced ? fmt::format("/namespaces/{}", ns.empty() ? "default" : ns) : "",
        type->plural
    );
    send("POST", path, json::print(object), "application/json");
}

void ClusterWorld::define(std::string_view api_version, std::string_view kind) {
    const std::size_t slash = api_version.find('/');
    std::string singular;
    std::ranges::transform(kind, std::back_inserter(singular), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    create_yaml(fmt::format(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: "
        "{1}s.{0}, annotations: {{api-approved.kubernetes.io: 'unapproved, a test'}}}}, spec: "
        "{{group: {0}, scope: {3}, names: {{plural: {1}s, singular: {1}, kind: "
        "{2}}}, versions: [{{name: {4}, served: true, storage: true, subresources: {{status: "
        "{{}}}}, schema: {{openAPIV3Schema: {{type: object, x-kubernetes-preserve-unknown-fields: "
        "true}}}}}}]}}}}",
        api_version.substr(0, slash),
        singular,
        kind,
        kind.starts_with("Cluster") ? "Cluster" : "Namespaced",
        api_version.substr(slash + 1)
    ));
}

json::Value ClusterWorld::send(
    std::string_view method, const std::string& path, std::string_view yaml, std::string_view type
) {
    const auto body =
        yaml.empty() ? Result<json::Value>(json::Value()) : yaml::parse_document(yaml);
    const apiserver::Response response =
        ask(method,
            path,
            yaml.empty() ? std::string() : json::print(*body),
            method == "PATCH" ? type : "application/json");
    INFO(response.body);
    REQUIRE(response.status < 300);
    cluster_.run(now_);
    return *json::parse(response.body);
}

void ClusterWorld::pass(Duration time) {
    const Time end = now_ + time;
    while (now_ < end) {
        now_ = std::min(cluster_.next_time().value_or(end), end);
        cluster_.run(now_);
    }
}

json::Value ClusterWorld::get(const std::string& path) {
    const apiserver::Response response = ask("GET", path, {}, "application/json");
    return response.status == 200 ? *json::parse(response.body) : json::Value();
}

std::vector<json::Value> ClusterWorld::list(const std::string& path) {
    const json::Value answer = get(path);
    return sim::list_at(answer, {"items"});
}

std::vector<std::string> ClusterWorld::pod_names() {
    std::vector<std::string> names;
    for (const json::Value& pod : pods()) {
        names.emplace_back(sim::text_at(pod, {"metadata", "name"}));
    }
    return names;
}

std::vector<std::string> ClusterWorld::events(std::string_view kind) {
    std::vector<json::Value> found = list("/api/v1/namespaces/default/events");
    std::ranges::stable_sort(found, {}, [](const json::Value& event) {
        const std::string_view name = sim::text_at(event, {"metadata", "name"});
        return std::string(name.substr(name.rfind('.')));
    });
    std::vector<std::string> reasons;
    for (const json::Value& event : found) {
        if (sim::text_at(event, {"involvedObject", "kind"}) == kind) {
            reasons.emplace_back(event.string_at("reason"));
        }
    }
    return reasons;
}

}  // namespace sluice::test
