#include "apiserver/subresources/subresources.hpp"

#include "api/meta/micro_time.hpp"
#include "apiserver/access/access_review.hpp"
#include "apiserver/fields/managed_fields.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/operations/conformed_object.hpp"
#include "apiserver/operations/deletion.hpp"
#include "apiserver/state/selectors.hpp"
#include "apiserver/subresources/eviction.hpp"
#include "apiserver/subresources/scale.hpp"
#include "apiserver/subresources/token_requests.hpp"
#include "apiserver/types/body.hpp"
#include "apiserver/types/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::apiserver {

namespace {

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
    return make_created();
}

/// Refuses exec, attach and portforward: simulated containers run no processes.
Response refuse_connection(const State& state, const Route& route) {
    const Snapshot pod = state.store.find({"", "pods"}, {route.ns, route.name});
    if (!pod) {
        return make_response(not_found(*route.type, route.name));
    }
    return make_response(bad_request(
        field_text(*pod, "spec.nodeName").empty()
            ? fmt::format("pod {} does not have a host assigned", route.name)
            : fmt::format("pod {} is simulated: its containers run nothing", route.name)
    ));
}

}  // namespace

std::optional<Answer> answer_subresource(
    State& state, const Request& request, const Route& route, Time now
) {
    const std::string& part = route.subresource;
    constexpr std::string_view kWhole[] = {
        "approval", "ephemeralcontainers", "finalize", "resize", "status"
    };
    const bool is_listed = std::ranges::any_of(route.type->subresources, [&](const auto& each) {
        return each.name == part;
    });
    // These subresources are written like the whole object.
    if (part.empty() || (is_listed && std::ranges::find(kWhole, part) != std::end(kWhole))) {
        return std::nullopt;
    }
    if (part == "scale" && route.type->scale) {
        return answer_scale(state, request, route);
    }
    const bool is_core = route.type->group.empty() && !route.type->is_custom;
    if (is_core && route.type->kind == "Pod") {
        if (part == "binding" && request.method == "POST") {
            return bind_pod(state, request, route, now);
        }
        if (part == "eviction" && request.method == "POST") {
            return evict_pod(state, request, route, now);
        }
        if (part == "exec" || part == "attach" || part == "portforward") {
            return refuse_connection(state, route);
        }
        if (part == "log" && request.method == "GET") {
            const Snapshot pod = state.store.find({"", "pods"}, {route.ns, route.name});
            return pod ? Response{.content_type = "text/plain", .body = ""}
                       : make_response(not_found(*route.type, route.name));
        }
    }
    if (is_core && route.type->kind == "ServiceAccount" && part == "token" &&
        request.method == "POST") {
        return answer_token_request(state, request, route, now);
    }
    return make_response(is_listed ? method_not_allowed() : unknown_path());
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
    const Subject asker = subject_of(request);
    if (route.type->kind == "TokenReview") {
        auto status = judge_token_review(state, *review, now);
        if (!status) {
            return make_response(status.error());
        }
        review->set("status", std::move(*status));
    } else if (route.type->kind == "SelfSubjectReview") {
        object_at(*review, "metadata").set("creationTimestamp", api::to_string(now));
        review->set("status", json::Object{{"userInfo", user_info(asker)}});
    } else if (route.type->kind == "SelfSubjectRulesReview") {
        review->set("status", report_rules(state, *review, asker));
    } else {
        auto status = judge_access_review(state, *route.type, *review, asker);
        if (!status) {
            return make_response(status.error());
        }
        review->set("status", std::move(*status));
    }
    Response response = make_response(*review, 201);
    response.warnings = std::move(*conformed);
    return response;
}

}  // namespace sluice::apiserver
