#include "apiserver/subresources.hpp"

#include "apiserver/decode.hpp"
#include "apiserver/deletion.hpp"
#include "apiserver/json_path.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/values.hpp"
#include "apiserver/writes.hpp"
#include "api/micro_time.hpp"
#include "json/patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

/// Member names of a path such as .spec.replicas.
std::vector<std::string_view> names_of(std::string_view path) {
    std::vector<std::string_view> names;
    while (!path.empty()) {
        path.remove_prefix(path.front() == '.' ? 1 : 0);
        const auto name = path.substr(0, path.find('.'));
        path.remove_prefix(name.size());
        if (!name.empty()) {
            names.push_back(name);
        }
    }
    return names;
}

void set_at(Value& object, std::string_view path, Value content) {
    Value* at = &object;
    const auto names = names_of(path);
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
        at = &object_at(*at, names[i]);
    }
    if (!names.empty()) {
        at->set(names.back(), std::move(content));
    }
}

std::int64_t integer_at(const Value& object, std::string_view path) {
    const auto found = find_json_path(object, path);
    return found.empty() || !found.front()->is_int() ? 0 : found.front()->as_int();
}

ScalePaths paths_of(const Scope& scope) {
    if (scope.version->scale) {
        return *scope.version->scale;
    }
    return {
        .spec_replicas = ".spec.replicas",
        .status_replicas = ".status.replicas",
        .label_selector = "",
    };
}

std::string selector_of(const Value& object, const ScalePaths& paths) {
    if (!paths.label_selector.empty()) {
        return json_path_text(object, paths.label_selector);
    }
    std::vector<std::string> terms;
    const Value* selector = object.find_path({"spec", "selector"});
    if (selector == nullptr) {
        return {};
    }
    const Value* labels = selector->find("matchLabels");
    for (const auto& [name, value] : members_of(labels == nullptr ? selector : labels)) {
        if (value.is_string()) {
            terms.push_back(name + "=" + value.as_string());
        }
    }
    std::ranges::sort(terms);
    std::string text;
    for (const auto& term : terms) {
        text += (text.empty() ? "" : ",") + term;
    }
    return text;
}

/// The Scale that shows an object.
Value make_scale(const Scope& scope, const Value& object) {
    const auto paths = paths_of(scope);
    Value metadata{Object{}};
    for (const auto* name : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
        if (const auto text = meta_string(object, name); !text.empty()) {
            metadata.set(name, text);
        }
    }
    Value spec{Object{}};
    if (const auto replicas = integer_at(object, paths.spec_replicas); replicas != 0) {
        spec.set("replicas", replicas);
    }
    Value status{Object{}};
    status.set("replicas", integer_at(object, paths.status_replicas));
    if (const auto selector = selector_of(object, paths); !selector.empty()) {
        status.set("selector", selector);
    }
    Value scale{Object{}};
    scale.set("kind", "Scale");
    scale.set("apiVersion", "autoscaling/v1");
    scale.set("metadata", std::move(metadata));
    scale.set("spec", std::move(spec));
    scale.set("status", std::move(status));
    return scale;
}

/// The Scale that the request wants, made of the present one.
Result<Value> wanted_scale(const Core& core, const Scope& scope, const Value& present) {
    if (scope.request.method == "PUT") {
        auto body = parse_body(core, scope.request, "Scale");
        if (!body) {
            return body.error();
        }
        return std::move(body->value);
    }
    auto patch = json::parse(scope.request.body);
    if (!patch) {
        return bad_request(fmt::format("error decoding patch: {}", patch.error().detail));
    }
    Value wanted = present;
    const auto type = media_type(scope.request.content_type);
    if (type == "application/json-patch+json") {
        return json::apply_json_patch(std::move(wanted), *patch);
    }
    if (type != "application/merge-patch+json" && type != "application/strategic-merge-patch+json") {
        return make_status_error(
            415, "UnsupportedMediaType", "415: Unsupported Media Type", Object{}
        );
    }
    json::apply_merge_patch(wanted, *patch);
    return wanted;
}

Change scale_change(Core* core, Scope* scope) {
    return [core, scope](const Value* present) -> Result<Value> {
        const auto scale = make_scale(*scope, *present);
        const auto wanted = wanted_scale(*core, *scope, scale);
        if (!wanted) {
            return wanted.error();
        }
        const Value* replicas = wanted->find_path({"spec", "replicas"});
        const std::int64_t count =
            replicas != nullptr && replicas->is_int() ? replicas->as_int() : 0;
        if (count < 0) {
            return invalid_object(
                {"autoscaling", "Scale"},
                scope->name,
                {invalid_value(
                    "spec.replicas", Value(count), "must be greater than or equal to 0"
                )}
            );
        }
        Value changed = *present;
        set_at(changed, paths_of(*scope).spec_replicas, Value(count));
        const auto version = meta_string(*wanted, "resourceVersion");
        if (!version.empty()) {
            metadata_of(changed).set("resourceVersion", version);
        }
        return changed;
    };
}

Response success(int status, std::string_view kind_of_success = "Success") {
    Value body{Object{}};
    body.set("kind", "Status");
    body.set("apiVersion", "v1");
    body.set("metadata", Object{});
    body.set("status", kind_of_success);
    body.set("code", status);
    Response response;
    response.status = status;
    response.body = json::print(body);
    return response;
}

void set_scheduled(Value& pod, const std::string& now) {
    Value condition{Object{}};
    condition.set("type", "PodScheduled");
    condition.set("status", "True");
    condition.set("lastProbeTime", nullptr);
    condition.set("lastTransitionTime", now);
    Value& status = object_at(pod, "status");
    Value* list = status.find("conditions");
    if (list == nullptr || !list->is_array()) {
        list = &status.set("conditions", Array{});
    }
    std::erase_if(list->as_array(), [](const Value& one) {
        return one.string_at("type") == "PodScheduled";
    });
    list->as_array().push_back(std::move(condition));
}

}  // namespace

Flow<Result<Response>> serve_scale(Core* core, Scope* scope) {
    const auto find = [&] { return scope->collection(*core)->find(scope->namespace_, scope->name); };
    Value object;
    if (scope->request.method == "GET") {
        const auto stored = find();
        if (stored == nullptr) {
            co_return object_not_found(scope->group_resource(), scope->name);
        }
        auto loaded = co_await load_object(core, scope->resource, stored, scope->version->name);
        if (!loaded) {
            co_return loaded.error();
        }
        object = std::move(*loaded);
    } else {
        // The object's own registry takes the change; ownership is that of the subresource.
        auto written = co_await update_object(core, scope, scale_change(core, scope));
        if (!written) {
            co_return written.error();
        }
        object = std::move(written->object);
    }
    Response response;
    response.body = json::print(make_scale(*scope, object));
    co_return response;
}

Flow<Result<Response>> bind_pod(Core* core, Scope* scope) {
    const auto body = parse_body(*core, scope->request, "Binding");
    if (!body) {
        co_return body.error();
    }
    const Value* target = body->value.find("target");
    const std::string node(target == nullptr ? "" : target->string_at("name"));
    if (scope->name.empty()) {
        scope->name = meta_string(body->value, "name");
    }
    const auto pods = core->registry.find("", "pods");
    const auto stored = core->store.collection("pods")->find(scope->namespace_, scope->name);
    if (stored == nullptr) {
        co_return object_not_found({"", "pods"}, scope->name);
    }
    if (node.empty()) {
        co_return invalid_object({"", "Binding"}, scope->name, {required_value("target.name")});
    }
    Value pod = read_stored(*pods, *stored);
    const std::string present(object_at(pod, "spec").string_at("nodeName"));
    const auto refuse = [&](std::string_view why) {
        return conflict({"", "pods/binding"}, scope->name, why);
    };
    if (stored->is_deleting) {
        co_return refuse(
            fmt::format("pod {} is being deleted, cannot be assigned to a host", scope->name)
        );
    }
    if (!present.empty()) {
        co_return refuse(
            fmt::format("pod {} is already assigned to node \"{}\"", scope->name, present)
        );
    }
    object_at(pod, "spec").set("nodeName", node);
    for (const auto& [name, value] : members_of(body->value.find_path({"metadata", "annotations"}))) {
        object_at(metadata_of(pod), "annotations").set(name, value);
    }
    set_scheduled(pod, core->timestamp());
    if (!scope->is_dry_run) {
        store_directly(*core, pods, std::move(pod));
    }
    co_return success(201);
}

Flow<Result<Response>> evict_pod(Core* core, Scope* scope) {
    const auto body = parse_body(*core, scope->request, "Eviction");
    if (!body) {
        co_return body.error();
    }
    DeleteOptions options;
    if (const Value* wanted = body->value.find("deleteOptions"); wanted != nullptr) {
        if (const Value* grace = wanted->find("gracePeriodSeconds");
            grace != nullptr && grace->is_int()) {
            options.grace_period_seconds = grace->as_int();
        }
        if (const Value* uid = wanted->find_path({"preconditions", "uid"}); uid != nullptr) {
            options.uid = uid->as_string();
        }
    }
    options.is_dry_run = scope->is_dry_run;
    const auto deleted = co_await delete_object(core, scope, options);
    if (!deleted) {
        co_return deleted.error();
    }
    co_return success(201);
}

Flow<Result<Response>> request_token(Core* core, Scope* scope) {
    auto body = parse_body(*core, scope->request, "TokenRequest");
    if (!body) {
        co_return body.error();
    }
    const auto account =
        core->store.collection("serviceaccounts")->find(scope->namespace_, scope->name);
    if (account == nullptr) {
        co_return object_not_found({"", "serviceaccounts"}, scope->name);
    }
    Value request = std::move(body->value);
    Value& spec = object_at(request, "spec");
    const auto seconds = int_at(spec, "expirationSeconds", 3600);
    spec.set("expirationSeconds", seconds);
    request.set("kind", "TokenRequest");
    request.set("apiVersion", "authentication.k8s.io/v1");
    metadata_of(request).set("name", scope->name);
    metadata_of(request).set("namespace", scope->namespace_);
    metadata_of(request).set("creationTimestamp", core->timestamp());
    Value status{Object{}};
    status.set("token", fmt::format("{}.{}.{}", scope->namespace_, scope->name, core->make_uid()));
    status.set(
        "expirationTimestamp", api::to_string(core->now + std::chrono::seconds(seconds))
    );
    request.set("status", std::move(status));
    Response response;
    response.status = 201;
    response.body = json::print(request);
    co_return response;
}

}  // namespace sluice::apiserver
