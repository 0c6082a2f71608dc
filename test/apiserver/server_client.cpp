#include "apiserver/server_client.hpp"

#include "api/meta/micro_time.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace sluice::test {

const std::string_view kWidgetDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 1, maximum: 9}
              color: {type: string, enum: [red, blue], default: red}
              name: {type: string, pattern: '^[a-z]+$', maxLength: 5}
              parts:
                type: array
                maxItems: 3
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, count: {type: integer, default: 1}}
              tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              anything: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            x-kubernetes-preserve-unknown-fields: true
)";

namespace {

/// Adds kind and apiVersion of the resource where the object has neither, and the name of the path.
void complete(
    const apiserver::ApiServer& server, const apiserver::Request& request, json::Value& object
) {
    const auto route = apiserver::find_route(server.state().types, request.path);
    if (route && object.is_object() && object.find("kind") == nullptr) {
        object.set("kind", route->type->kind);
        object.set("apiVersion", route->type->api_version());
    }
    if (route && object.is_object() && !route->name.empty() && route->subresource != "binding" &&
        object.find_path({"metadata", "name"}) == nullptr) {
        if (object.find("metadata") == nullptr) {
            object.set("metadata", json::Object());
        }
        object.find("metadata")->set("name", route->name);
    }
}

}  // namespace

ServerClient::ServerClient(apiserver::ApiServer::Options options)
    : server(std::move(options), *api::parse_time("2026-01-01T00:00:00Z")),
      now(*api::parse_time("2026-01-01T00:00:00Z")) {}

apiserver::Response ServerClient::send(
    std::string_view method, std::string_view target, std::string_view body, std::string_view type
) {
    apiserver::Request request = apiserver::make_request(method, target);
    request.content_type = type;
    request.user_agent = "test/1.0";
    if (!body.empty()) {
        auto document = yaml::parse_document(body);
        if (document &&
            (method == "POST" || method == "PUT" || type == "application/apply-patch+yaml")) {
            complete(server, request, *document);
        }
        request.body = document ? json::print(*document) : std::string(body);
    }
    if (!webhook) {
        return server.handle(std::move(request), now);
    }
    auto begun = server.begin(std::move(request), now);
    if (auto* response = std::get_if<apiserver::Response>(&begun)) {
        return std::move(*response);
    }
    auto& operation = *std::get<std::unique_ptr<apiserver::Operation>>(begun);
    while (const auto call = operation.advance(now)) {
        operation.take_answer(webhook(*call));
    }
    return std::move(operation.response());
}

json::Value admission_answer(const apiserver::WebhookCall& call, json::Value response) {
    response.set("uid", call.review.find("request")->string_at("uid"));
    return json::Object{
        {"kind", "AdmissionReview"},
        {"apiVersion", call.review.string_at("apiVersion")},
        {"response", std::move(response)}
    };
}

json::Value ServerClient::ask(
    std::string_view method, std::string_view target, std::string_view body, std::string_view type
) {
    const auto read = json::parse(send(method, target, body, type).body);
    return read ? *read : json::Value();
}

std::string ServerClient::outcome(
    std::string_view method, std::string_view target, std::string_view body, std::string_view type
) {
    const apiserver::Response response = send(method, target, body, type);
    if (response.status < 400) {
        return std::to_string(response.status);
    }
    const auto status = json::parse(response.body);
    return fmt::format(
        "{} {}: {}",
        response.status,
        status ? status->string_at("reason") : "",
        status ? status->string_at("message") : ""
    );
}

std::string ServerClient::apply(
    std::string_view target, std::string_view manager, std::string_view body, bool is_forced
) {
    return outcome(
        "PATCH",
        fmt::format("{}?fieldManager={}{}", target, manager, is_forced ? "&force=true" : ""),
        body,
        "application/apply-patch+yaml"
    );
}

std::string ServerClient::at(
    std::string_view target, std::initializer_list<std::string_view> path
) {
    const json::Value object = ask("GET", target);
    const json::Value* found = object.find_path(path);
    return found == nullptr     ? std::string()
           : found->is_string() ? found->as_string()
                                : json::print_sorted(*found);
}

std::shared_ptr<apiserver::Watch> ServerClient::watch(std::string_view target) {
    return send("GET", target).watch;
}

std::vector<std::string> ServerClient::events(apiserver::Watch& watch) {
    std::vector<std::string> found;
    std::string lines = watch.take();
    while (lines.empty() && webhook) {
        const auto call = watch.next_call();
        if (!call) {
            break;
        }
        watch.take_answer(webhook(*call));
        lines = watch.take();
    }
    while (!lines.empty()) {
        const std::size_t end = lines.find('\n');
        const json::Value event = *json::parse(lines.substr(0, end));
        lines.erase(0, end + 1);
        const json::Value& object = *event.find("object");
        const json::Value* name = object.find_path({"metadata", "name"});
        const std::string text =
            name == nullptr ? std::string(object.string_at("reason")) : name->as_string();
        found.push_back(fmt::format("{} {}", event.string_at("type"), text));
    }
    return found;
}

}  // namespace sluice::test
