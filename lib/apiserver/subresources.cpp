#include "apiserver/subresources.hpp"

#include "api/micro_time.hpp"
#include "apiserver/body.hpp"
#include "apiserver/conformed_object.hpp"
#include "apiserver/deletion.hpp"
#include "apiserver/failures.hpp"
#include "apiserver/managed_fields.hpp"
#include "apiserver/selectors.hpp"
#include "apiserver/write_operation.hpp"
#include "json/patch.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace sluice::apiserver {

namespace {

std::int64_t number_at(const json::Value& object, std::string_view path) {
    const std::string text = field_text(object, path);
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

json::Value make_scale(const json::Value& object, const ScalePaths& paths) {
    const json::Value& metadata = *object.find("metadata");
    json::Value own = json::Object();
    for (const char* name : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
        if (const json::Value* value = metadata.find(name)) {
            own.set(name, *value);
        }
    }
    json::Value status = json::Object{{"replicas", number_at(object, paths.status_replicas)}};
    const std::string selector = field_text(object, paths.label_selector);
    if (!paths.label_selector.empty() && !selector.empty()) {
        status.set("selector", selector);
    }
    return json::Object{
        {"kind", "Scale"},
        {"apiVersion", "autoscaling/v1"},
        {"metadata", std::move(own)},
        {"spec", json::Object{{"replicas", number_at(object, paths.spec_replicas)}}},
        {"status", std::move(status)}
    };
}

/// A merge patch that sets one number at a path such as `.spec.replicas`.
json::Value patch_at(std::string_view path, json::Value value) {
    std::vector<std::string> names;
    while (!path.empty()) {
        if (path.front() == '.') {
            path.remove_prefix(1);
        }
        const std::string_view name = path.substr(0, path.find('.'));
        names.emplace_back(name);
        path.remove_prefix(name.size());
    }
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
        value = json::Object{{*name, std::move(value)}};
    }
    return value;
}

Response answer_scale(State& state, const Request& request, const Route& route, Time now) {
    const auto& type = *route.type;
    const Snapshot object = state.store.find(State::collection_of(type), {route.ns, route.name});
    if (!object) {
        return make_response(not_found(type, route.name));
    }
    const ScalePaths paths = type.scale.value_or(ScalePaths{});
    json::Value scale = make_scale(*object, paths);
    if (request.method == "GET") {
        return make_response(scale);
    }
    if (request.method != "PUT" && request.method != "PATCH") {
        return make_response(method_not_allowed());
    }
    const auto body = json::parse(request.body);
    if (!body || !body->is_object()) {
        return make_response(bad_request("the body is no Scale"));
    }
    if (request.method == "PUT") {
        scale = *body;
    } else {
        json::apply_merge_patch(scale, *body);
    }
    const json::Value* replicas = scale.find_path({"spec", "replicas"});
    if (replicas == nullptr || !replicas->is_int() || replicas->as_int() < 0) {
        return make_response(bad_request("spec.replicas must be a number, not below 0"));
    }
    Request patch = request;
    patch.method = "PATCH";
    patch.content_type = "application/merge-patch+json";
    patch.body = json::print(patch_at(paths.spec_replicas, *replicas));
    Route whole = route;
    whole.subresource.clear();
    WriteOperation write(state, patch, whole, WriteVerb::Patch);
    write.own_as("scale");
    while (write.advance(now)) {
        // Numbers of replicas pass no webhook here.
        write.take_answer(json::Value(json::Object{{"response", json::Object{{"allowed", true}}}}));
    }
    if (write.response().status >= 400) {
        return write.response();
    }
    const Snapshot after = state.store.find(State::collection_of(type), {route.ns, route.name});
    return make_response(make_scale(*after, paths));
}

/// The answer to what is created and has no form of its own.
json::Value make_created() {
    return json::Object{
        {"kind", "Status"},
        {"apiVersion", "v1"},
        {"metadata", json::Object()},
        {"status", "Success"},
        {"code", 201}
    };
}

Response bind_pod(State& state, const Request& request, const Route& route, Time now) {
    const Collection pods{"", "pods"};
    const ObjectName name{route.ns, route.name};
    const Snapshot pod = state.store.find(pods, name);
    if (!pod) {
        return make_response(not_found(*route.type, route.name));
    }
    const auto body = read_body(request, "Binding");
    if (!body) {
        return make_response(body.error());
    }
    const json::Value* node = body->object.find_path({"target", "name"});
    if (node == nullptr || !node->is_string() || node->as_string().empty()) {
        return make_response(bad_request("target.name is required"));
    }
    ResourceType binding = *route.type;
    binding.plural += "/binding";
    const std::string bound = field_text(*pod, "spec.nodeName");
    if (!bound.empty()) {
        return make_response(conflict(
            binding,
            route.name,
            fmt::format("pod {} is already assigned to node \"{}\"", route.name, bound)
        ));
    }
    const json::Value* gates = pod->find_path({"spec", "schedulingGates"});
    if (gates != nullptr && gates->is_array() && !gates->as_array().empty()) {
        return make_response(conflict(
            binding,
            route.name,
            fmt::format("pod {} has non-empty .spec.schedulingGates", route.name)
        ));
    }
    json::Value changed = *pod;
    changed.find("spec")->set("nodeName", *node);
    json::Value* status = changed.find("status");
    if (status == nullptr) {
        status = &changed.set("status", json::Object());
    }
    json::Value* conditions = status->find("conditions");
    if (conditions == nullptr || !conditions->is_array()) {
        conditions = &status->set("conditions", json::Array());
    }
    std::erase_if(conditions->as_array(), [](const json::Value& condition) {
        return condition.string_at("type") == "PodScheduled";
    });
    conditions->as_array().emplace_back(json::Object{
        {"type", "PodScheduled"},
        {"status", "True"},
        {"lastProbeTime", nullptr},
        {"lastTransitionTime", api::to_string(now)}
    });
    if (!request.is_dry_run()) {
        state.store.put(pods, name, std::move(changed));
    }
    return make_response(make_created(), 201);
}

Response make_token() {
    return make_response(
        json::Object{
            {"kind", "TokenRequest"},
            {"apiVersion", "authentication.k8s.io/v1"},
            {"metadata", json::Object()},
            {"status",
             json::Object{{"token", "embedded"}, {"expirationTimestamp", "2100-01-01T00:00:00Z"}}}
        },
        201
    );
}

}  // namespace

std::optional<Response> answer_subresource(
    State& state, const Request& request, const Route& route, Time now
) {
    const std::string& part = route.subresource;
    if (part.empty() || (part == "status" && route.type->has_status)) {
        return std::nullopt;
    }
    if (part == "scale" && route.type->scale) {
        return answer_scale(state, request, route, now);
    }
    const bool is_core = route.type->group.empty() && !route.type->is_custom;
    if (is_core && route.type->kind == "Pod") {
        if (part == "binding" && request.method == "POST") {
            return bind_pod(state, request, route, now);
        }
        if (part == "eviction" && request.method == "POST") {
            Route whole = route;
            whole.subresource.clear();
            Request deletion = request;
            deletion.body.clear();
            Response gone = delete_objects(state, deletion, whole, now);
            return gone.status >= 400 ? gone : make_response(make_created(), 201);
        }
        if (part == "log" && request.method == "GET") {
            const Snapshot pod = state.store.find({"", "pods"}, {route.ns, route.name});
            return pod ? Response{.content_type = "text/plain", .body = ""}
                       : make_response(not_found(*route.type, route.name));
        }
    }
    if (is_core && route.type->kind == "ServiceAccount" && part == "token" &&
        request.method == "POST") {
        return make_token();
    }
    return make_response(unknown_path());
}

Response answer_review(State& state, const Request& request, const Route& route, Time now) {
    if (route.type->kind == "Binding") {
        const auto body = read_body(request, "Binding");
        if (!body) {
            return make_response(body.error());
        }
        const json::Value* name = body->object.find_path({"metadata", "name"});
        Route pod = route;
        pod.type = state.types.find("", "v1", "pods");
        pod.name = name != nullptr && name->is_string() ? name->as_string() : std::string();
        return bind_pod(state, request, pod, now);
    }
    auto body = read_body_of(request, *route.type);
    if (!body) {
        return make_response(body.error());
    }
    json::Value* review = &body->object;
    auto conformed = conform(
        *route.type,
        *review,
        {.validation = to_field_validation(request.parameter("fieldValidation")),
         .duplicates = std::move(body->duplicates)}
    );
    if (!conformed) {
        return make_response(conformed.error());
    }
    if (const auto schema = schema_of(*route.type)) {
        const WriteContext context{
            .manager = request.field_manager(),
            .api_version = route.type->api_version(),
            .subresource = {},
            .now = api::to_string(now),
            .reset = {}
        };
        update_managed_fields(nullptr, *review, *schema, context);
    }
    const json::Value user =
        json::Object{{"username", request.user}, {"groups", json::Array{"system:masters"}}};
    const json::Value everything = json::Array{json::Object{
        {"verbs", json::Array{"*"}},
        {"apiGroups", json::Array{"*"}},
        {"resources", json::Array{"*"}}
    }};
    if (route.type->kind == "TokenReview") {
        const json::Value* token = review->find_path({"spec", "token"});
        const bool is_known = token != nullptr && *token == json::Value("embedded");
        review->set("status", json::Object{{"authenticated", is_known}, {"user", user}});
    } else if (route.type->kind == "SelfSubjectReview") {
        review->set("status", json::Object{{"userInfo", user}});
    } else if (route.type->kind == "SelfSubjectRulesReview") {
        review->set(
            "status",
            json::Object{
                {"resourceRules", everything},
                {"nonResourceRules",
                 json::Array{json::Object{
                     {"verbs", json::Array{"*"}}, {"nonResourceURLs", json::Array{"*"}}
                 }}},
                {"incomplete", false}
            }
        );
    } else {
        review->set("status", json::Object{{"allowed", true}});
    }
    Response response = make_response(*review, 201);
    response.warnings = std::move(*conformed);
    return response;
}

}  // namespace sluice::apiserver
