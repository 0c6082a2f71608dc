#include "support/embedded_server.hpp"

#include "api/core/custom_resource_definition.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/micro_time.hpp"
#include "api/schema/crd.hpp"
#include "api/schema/scheme.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/state/deletion_mark.hpp"
#include "base/assert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

namespace sluice::test {

using apiserver::InProcessClient;
using apiserver::Snapshot;
using kube::ResourcePath;

namespace {

constexpr std::string_view kMergePatch = "application/merge-patch+json";

ResourcePath definition_path(kube::Kind kind) {
    return kube::path_of<api::CustomResourceDefinition>(
        "", fmt::format("{}.{}", kind.resource(), kind.group())
    );
}

ResourcePath collection_of(ResourcePath path) {
    path.name.clear();
    path.subresource.clear();
    return path;
}

Verb verb_of(const kube::Request& request, const apiserver::Request& read, bool is_collection) {
    if (request.method == "POST") {
        return Verb::Create;
    }
    if (request.method == "PUT") {
        return Verb::Update;
    }
    if (request.method == "PATCH") {
        return request.content_type == kMergePatch ? Verb::MergePatch : Verb::Apply;
    }
    if (request.method == "DELETE") {
        return Verb::Delete;
    }
    if (read.is_set("watch")) {
        return Verb::Watch;
    }
    return is_collection ? Verb::List : Verb::Get;
}

json::Value open_version(std::string_view name, bool is_stored) {
    return json::Object{
        {"name", name},
        {"served", true},
        {"storage", is_stored},
        {"schema",
         json::Object{
             {"openAPIV3Schema",
              json::Object{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}
         }}
    };
}

/// A definition that takes any object.
json::Value open_definition(kube::Kind kind) {
    std::string singular(kind.name());
    std::ranges::transform(singular, singular.begin(), [](unsigned char each) {
        return static_cast<char>(std::tolower(each));
    });
    json::Value names = json::Object{
        {"plural", kind.resource()},
        {"singular", singular},
        {"kind", kind.name()},
        {"listKind", std::string(kind.name()) + "List"}
    };
    return json::Object{
        {"metadata", json::Object{{"name", definition_path(kind).name}}},
        {"spec",
         json::Object{
             {"group", kind.group()},
             {"scope", kind.is_namespaced() ? "Namespaced" : "Cluster"},
             {"names", std::move(names)},
             {"versions", json::Array{open_version(kind.version(), true)}}
         }}
    };
}

}  // namespace

EmbeddedServer::EmbeddedServer(boost::asio::any_io_executor executor, const Clock& clock)
    : OwnApiServer{{{.has_controller = true}, clock.now()}},
      InProcessClient(
          api_server,
          clock,
          {.executor = std::move(executor),
           .webhooks = {},
           .fault = [this](const kube::Request& request) { return on_request(request); }}
      ),
      clock_(clock) {
    add_namespace("kueue-system");
}

EmbeddedServer::~EmbeddedServer() = default;

kube::Async<std::string> EmbeddedServer::get_raw(std::string target, kube::GetOptions options) {
    auto answer = co_await InProcessClient::get_raw(target, std::move(options));
    const auto broken = raw_.find(target);
    if (broken != raw_.end() && (answer || answer.error().code == ErrorCode::NotFound)) {
        co_return broken->second;
    }
    co_return answer;
}

Call EmbeddedServer::read_call(const kube::Request& request) const {
    const apiserver::Request read = apiserver::make_request(request.method, request.target);
    const auto route = apiserver::find_route(api_server.state().types, read.path);
    ResourcePath path;
    if (route) {
        path = {
            route->type->group,
            route->type->version,
            route->type->plural,
            route->ns,
            route->name,
            route->subresource
        };
    }
    const bool is_collection = route && route->name.empty();
    return {verb_of(request, read, is_collection), std::move(path), request.body};
}

std::optional<EmbeddedServer::Fault> EmbeddedServer::on_request(const kube::Request& request) {
    calls_.push_back(read_call(request));
    const Call call = calls_.back();
    if (on_call_) {
        on_call_(call);
    }
    Fault fault{.delay = delay_, .answer_delay = answer_delay_};
    const auto found = std::ranges::find_if(faults_, [&call](const OrderedFault& each) {
        return each.left > 0 && each.verb == call.verb && each.plural == call.path.plural;
    });
    if (found != faults_.end()) {
        --found->left;
        fault.error = found->error;
        fault.is_after_effect = found->after_effect;
    }
    return fault;
}

apiserver::ResourceTable::TypePointer EmbeddedServer::type_of(const ResourcePath& path) const {
    return api_server.state().types.find(path.group, path.version, path.plural);
}

apiserver::Response EmbeddedServer::send(
    std::string method, const ResourcePath& path, const json::Value& body, std::string content_type
) {
    apiserver::Request request = apiserver::make_request(method, kube::to_target(path));
    request.content_type = std::move(content_type);
    request.user_agent = "another-client";
    request.body = json::print(body);
    apiserver::Response response = api_server.handle(std::move(request), clock_.now());
    if (response.status >= 400) {
        fmt::print(
            stderr, "{} {}: {}{}\n", method, kube::to_target(path), response.body, json::print(body)
        );
        std::abort();
    }
    return response;
}

void EmbeddedServer::add_namespace(const std::string& name) {
    if (api_server.state().store.find({"", "namespaces"}, {"", name}) == nullptr) {
        const json::Value metadata = json::Object{{"name", name}};
        send("POST", {"", "v1", "namespaces", "", "", ""}, json::Object{{"metadata", metadata}});
    }
}

void EmbeddedServer::put(const ResourcePath& collection, json::Value object) {
    const auto type = type_of(collection);
    SLUICE_ASSERT(type != nullptr);
    object.set("apiVersion", type->api_version());
    object.set("kind", type->kind);
    ResourcePath path = collection;
    json::Value& metadata = apiserver::object_at(object, "metadata");
    path.name = metadata.string_at("name");
    if (!path.namespace_.empty()) {
        add_namespace(path.namespace_);
    }
    const json::Value* status = object.find("status");
    const std::optional<json::Value> wanted =
        status == nullptr ? std::nullopt : std::optional(*status);
    if (const Snapshot live = find_value(path)) {
        metadata.set("resourceVersion", live->find("metadata")->string_at("resourceVersion"));
        send("PUT", path, object);
    } else {
        metadata.erase("resourceVersion");
        send("POST", collection_of(path), object);
    }
    if (wanted) {
        put_status(path, *wanted);
    }
}

void EmbeddedServer::put_status(const ResourcePath& path, json::Value status) {
    const bool has_status = std::ranges::any_of(type_of(path)->subresources, [](const auto& each) {
        return each.name == "status";
    });
    json::Value object = *find_value(path);
    const json::Value* before = object.find("status");
    if (!has_status || (before != nullptr && *before == status)) {
        return;
    }
    object.set("status", std::move(status));
    ResourcePath part = path;
    part.subresource = "status";
    send("PUT", part, object);
}

void EmbeddedServer::patch(const ResourcePath& path, const json::Value& patch) {
    send("PATCH", path, patch, std::string(kMergePatch));
}

void EmbeddedServer::erase(const ResourcePath& path) {
    if (find_value(path) != nullptr) {
        send("DELETE", path, json::Object{{"propagationPolicy", "Background"}});
    }
}

Snapshot EmbeddedServer::find_value(const ResourcePath& path) const {
    const auto type = type_of(path);
    if (type == nullptr) {
        return nullptr;
    }
    Snapshot stored = api_server.state().store.find(
        apiserver::State::collection_of(*type), {path.namespace_, path.name}
    );
    if (stored == nullptr || stored->string_at("apiVersion") == type->api_version()) {
        return stored;
    }
    return std::make_shared<const json::Value>(api_server.state().to_version(*stored, *type));
}

std::vector<Snapshot> EmbeddedServer::all_values(const ResourcePath& collection) const {
    std::vector<Snapshot> out;
    const auto type = type_of(collection);
    if (type == nullptr) {
        return out;
    }
    ResourcePath path = collection;
    const auto& stored = api_server.state().store.objects(apiserver::State::collection_of(*type));
    for (const auto& [name, object] : stored) {
        path.namespace_ = name.ns;
        path.name = name.name;
        out.push_back(find_value(path));
    }
    return out;
}

void EmbeddedServer::store_as_is(const ResourcePath& collection, json::Value object) {
    const auto type = type_of(collection);
    SLUICE_ASSERT(type != nullptr);
    object.set("apiVersion", type->api_version());
    object.set("kind", type->kind);
    json::Value& metadata = apiserver::object_at(object, "metadata");
    if (metadata.find("uid") == nullptr) {
        metadata.set("uid", api_server.state().new_uid());
    }
    if (metadata.find("creationTimestamp") == nullptr) {
        metadata.set("creationTimestamp", api::to_string(clock_.now()));
    }
    if (!collection.namespace_.empty()) {
        metadata.set("namespace", collection.namespace_);
    }
    const std::string name(metadata.string_at("name"));
    api_server.state().store.put(
        apiserver::State::collection_of(*type), {collection.namespace_, name}, std::move(object)
    );
}

void EmbeddedServer::serve(kube::Kind kind) {
    const ResourcePath path = definition_path(kind);
    if (const Snapshot live = find_value(path)) {
        if (type_of(kube::path_of(kind)) == nullptr) {
            json::Value changed = *live;
            changed.find("spec")
                ->find("versions")
                ->as_array()
                .push_back(open_version(kind.version(), false));
            send("PUT", path, changed);
        }
        return;
    }
    const std::string key =
        fmt::format("{} {} {} {}", path.name, kind.version(), kind.name(), kind.is_namespaced());
    static std::mutex mutex;
    static std::map<std::string, Served> served;
    const std::lock_guard lock(mutex);
    if (const auto known = served.find(key); known != served.end()) {
        install(path, known->second);
        return;
    }
    const bool is_kueue = kind.group() == api::kKueueGroup;
    put(collection_of(path), is_kueue ? api::make_crd(*kind.info()) : open_definition(kind));
    served.emplace(
        key,
        Served{
            find_value(path), api_server.state().types.equivalents(*type_of(kube::path_of(kind)))
        }
    );
}

/// Puts a definition there as a request would have, without checking and compiling it again.
void EmbeddedServer::install(const ResourcePath& path, const Served& served) {
    apiserver::State& state = api_server.state();
    json::Value definition = *served.definition;
    json::Value& metadata = *definition.find("metadata");
    metadata.set("uid", state.new_uid());
    metadata.set("creationTimestamp", api::to_string(clock_.now()));
    const std::int64_t before = state.store.version();
    state.store.put(apiserver::definitions_collection, {"", path.name}, std::move(definition));
    for (const auto& type : served.types) {
        apiserver::ResourceType made = *type;
        made.shaped_at = before;
        state.types.add(std::move(made));
    }
}

void EmbeddedServer::serve_kueue() {
    for (const api::KindInfo& kind : api::kueue_kinds()) {
        serve(kube::Kind(kind));
    }
}

void EmbeddedServer::stop_serving(kube::Kind kind) {
    erase(definition_path(kind));
}

void EmbeddedServer::fail_next(
    Verb verb, std::string plural, Error error, int count, bool after_effect
) {
    faults_.push_back(OrderedFault{verb, std::move(plural), std::move(error), count, after_effect});
}

void EmbeddedServer::forget_history() {
    const ResourcePath path{"", "v1", "configmaps", "default", "", ""};
    put(path,
        json::Object{
            {"metadata", json::Object{{"name", "unrelated"}, {"namespace", "default"}}},
            {"data", json::Object{{"at", std::to_string(api_server.state().store.version())}}}
        });
    api_server.state().store.compact();
}

std::vector<std::string> EmbeddedServer::writes() const {
    std::vector<std::string> out;
    for (const auto& call : calls_) {
        const char* verb = nullptr;
        switch (call.verb) {
            case Verb::Create:
                verb = "Create";
                break;
            case Verb::Update:
                verb = "Update";
                break;
            case Verb::MergePatch:
                verb = "MergePatch";
                break;
            case Verb::Apply:
                verb = "Apply";
                break;
            case Verb::Delete:
                verb = "Delete";
                break;
            case Verb::Get:
            case Verb::List:
            case Verb::Watch:
                continue;
        }
        out.push_back(std::string(verb) + " " + call.path.plural);
    }
    return out;
}

}  // namespace sluice::test
