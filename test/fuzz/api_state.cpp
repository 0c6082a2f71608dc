#include "fuzz/api_state.hpp"

#include "base/assert.hpp"
#include "json/value.hpp"

#include <array>
#include <chrono>
#include <string>
#include <utility>

namespace sluice::test {

namespace {

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kDefinition = R"({"metadata": {"name": "widgets.example.com"},
    "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets",
    "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}, "versions": [{"name": "v1",
    "served": true, "storage": true, "subresources": {"status": {}},
    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object",
    "x-kubernetes-validations": [{"rule": "!has(self.size) || self.size < 9"}],
    "properties": {"size": {"type": "integer"}, "color": {"type": "string", "default": "red"},
    "parts": {"type": "array", "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"], "items": {"type": "object", "required": ["name"],
    "properties": {"name": {"type": "string"}, "count": {"type": "integer", "default": 1}}}},
    "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}}}]}})";
constexpr std::string_view kPodSpec =
    R"({"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]})";

constexpr std::array<std::string_view, 4> kStored{
    "/api/v1/namespaces/default/configmaps/base",
    "/apis/batch/v1/namespaces/default/jobs/job",
    "/api/v1/namespaces/default/pods/pod",
    "/apis/example.com/v1/namespaces/default/widgets/widget"
};

void create(apiserver::ApiServer& server, std::string_view target, std::string_view body) {
    SLUICE_ASSERT(send(server, "POST", target, kJson, body).status == 201);
}

}  // namespace

apiserver::Response send(
    apiserver::ApiServer& server,
    std::string_view method,
    std::string_view target,
    std::string_view media_type,
    std::string_view body
) {
    apiserver::Request request = apiserver::make_request(method, target);
    request.content_type = media_type;
    request.user_agent = "fuzz";
    request.body = body;
    apiserver::Response response = server.handle(std::move(request), kNow);
    SLUICE_ASSERT(response.status >= 200 && response.status < 600);
    if (response.status >= 400 && response.content_type == kJson) {
        const auto status = json::parse(response.body);
        SLUICE_ASSERT(status && status->string_at("kind") == "Status");
    } else if (response.content_type == kJson && !response.watch) {
        SLUICE_ASSERT(json::parse(response.body));
    }
    return response;
}

std::unique_ptr<apiserver::ApiServer> make_filled_server() {
    auto server = std::make_unique<apiserver::ApiServer>(apiserver::ApiServer::Options{}, kNow);
    create(
        *server,
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        std::string(R"({"apiVersion": "apiextensions.k8s.io/v1",)"
                    R"("kind": "CustomResourceDefinition",)"
        ) + std::string(kDefinition.substr(1))
    );
    const std::string pod_spec(kPodSpec);
    create(
        *server,
        "/api/v1/namespaces/default/configmaps",
        R"({"metadata": {"name": "base", "labels": {"a": "b"}}, "data": {"k": "v", "l": "w"}})"
    );
    create(
        *server,
        "/apis/batch/v1/namespaces/default/jobs",
        R"({"metadata": {"name": "job"}, "spec": {"template": {"spec": )" + pod_spec + "}}}"
    );
    create(
        *server,
        "/api/v1/namespaces/default/pods",
        R"({"metadata": {"name": "pod"}, "spec": )" + pod_spec + "}"
    );
    create(
        *server,
        "/apis/example.com/v1/namespaces/default/widgets",
        R"({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "widget"},
            "spec": {"size": 1, "parts": [{"name": "x"}], "tags": ["t"]}})"
    );
    return server;
}

void check_stored(apiserver::ApiServer& server) {
    for (const std::string_view target : kStored) {
        const auto read = send(server, "GET", target, kJson, "");
        SLUICE_ASSERT(read.status == 200 || read.status == 404);
        if (read.status == 200) {
            // Defaults may come back the first time, after a status without them was written.
            const auto written = send(server, "PUT", target, kJson, read.body);
            SLUICE_ASSERT(written.status == 200);
            const auto again = send(server, "PUT", target, kJson, written.body);
            SLUICE_ASSERT(again.status == 200 && again.body == written.body);
        }
    }
}

}  // namespace sluice::test
