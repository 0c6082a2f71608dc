#include "sim/api_writer.hpp"

#include "api/meta/micro_time.hpp"
#include "sim/objects/fields.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::sim {

namespace {

constexpr std::string_view kMergePatch = "application/merge-patch+json";

std::string component_of(std::string_view kind) {
    if (kind == "Pod") {
        return "default-scheduler";
    }
    std::string name;
    for (const char letter : kind) {
        const bool is_upper = letter >= 'A' && letter <= 'Z';
        name += is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return name + "-controller";
}

apiserver::Request make_request(
    std::string_view method,
    const std::string& path,
    const json::Value& body,
    std::string_view type = "application/json"
) {
    apiserver::Request made = apiserver::make_request(method, path);
    made.content_type = type;
    made.user_agent = "simulated-cluster";
    made.user = "system:simulated-cluster";
    made.body = json::print(body);
    return made;
}

}  // namespace

apiserver::ResourceTable::TypePointer find_type(
    const apiserver::ResourceTable& types, std::string_view api_version, std::string_view kind
) {
    const std::size_t slash = api_version.find('/');
    const bool has_group = slash != std::string_view::npos;
    return types.find_kind(
        has_group ? api_version.substr(0, slash) : std::string_view(),
        has_group ? api_version.substr(slash + 1) : api_version,
        kind
    );
}

bool ApiWriter::perform(const Write& write, const json::Value& about, Time now) {
    auto request = prepare(write, about);
    return request && finish(write, about, server_.handle(std::move(*request), now), now);
}

bool ApiWriter::finish(
    const Write& write, const json::Value& about, const apiserver::Response& response, Time now
) {
    const bool creates = write.verb == Write::Verb::Create;
    const bool is_gone = response.status == 404 && !creates;
    if (response.status >= 400 && !is_gone) {
        const auto status = json::parse(response.body);
        const std::string why(status ? status->string_at("message") : std::string_view());
        last_refusal_ = why;
        if (creates) {
            record_event(about, {true, "FailedCreate", "Error creating: " + why}, now);
        }
        return false;
    }
    if (write.note && !is_gone) {
        Note note = *write.note;
        if (creates && note.message.ends_with(": ")) {
            const auto made = json::parse(response.body);
            note.message += made ? text_at(*made, {"metadata", "name"}) : std::string_view();
        }
        record_event(about, note, now);
    }
    return true;
}

std::optional<apiserver::Request> ApiWriter::prepare(const Write& write, const json::Value& about)
    const {
    using Verb = Write::Verb;
    const bool is_own_status = write.verb == Verb::ReplaceStatus;
    const std::string api_version(
        is_own_status ? about.string_at("apiVersion") : write.api_version
    );
    const std::string_view kind = is_own_status ? about.string_at("kind") : write.kind;
    const bool has_group = api_version.find('/') != std::string::npos;
    const auto type = find_type(server_.state().types, api_version, kind);
    if (type == nullptr) {
        return std::nullopt;
    }
    const std::string_view ns = text_at(about, {"metadata", "namespace"});
    const std::string many = fmt::format(
        "/{}/{}/namespaces/{}/{}", has_group ? "apis" : "api", api_version, ns, type->plural
    );
    const std::string one = many + "/" + write.name;
    switch (write.verb) {
        case Verb::Create:
            return make_request("POST", many, write.body);
        case Verb::Patch:
            return make_request("PATCH", one, write.body, kMergePatch);
        case Verb::PatchStatus:
            return make_request("PATCH", one + "/status", write.body, kMergePatch);
        case Verb::Delete:
            return make_request("DELETE", one, write.body);
        case Verb::ReplaceStatus:
            break;
    }
    const std::string name(text_at(about, {"metadata", "name"}));
    const auto latest =
        server_.state().store.find(apiserver::State::collection_of(*type), {std::string(ns), name});
    if (!latest || server_.state().needs_webhook(*latest, *type)) {
        return std::nullopt;
    }
    json::Value changed = server_.state().to_version(*latest, *type);
    changed.set("status", write.body);
    return make_request("PUT", many + "/" + name + "/status", changed);
}

void ApiWriter::record_event(const json::Value& about, const Note& note, Time now) {
    const std::string ns(text_at(about, {"metadata", "namespace"}));
    const std::string name(text_at(about, {"metadata", "name"}));
    const std::string_view kind = about.string_at("kind");
    const std::string_view uid = text_at(about, {"metadata", "uid"});
    const auto event = recorder_.record(fmt::format("{}/{}/{}", kind, uid, ns), name, note, now);
    if (!event) {
        return;
    }
    const std::string events = fmt::format("/api/v1/namespaces/{}/events", ns);
    if (event->count > 1) {
        const json::Value repeated = json::Object{
            {"count", event->count},
            {"message", event->message},
            {"lastTimestamp", api::to_string(now)}
        };
        const auto response =
            request("PATCH", events + "/" + event->name, repeated, now, kMergePatch);
        if (response.status != 404) {
            return;
        }
    }
    request(
        "POST",
        events,
        json::Object{
            {"apiVersion", "v1"},
            {"kind", "Event"},
            {"metadata", json::Object{{"name", event->name}, {"namespace", ns}}},
            {"involvedObject",
             json::Object{
                 {"apiVersion", about.string_at("apiVersion")},
                 {"kind", kind},
                 {"namespace", ns},
                 {"name", name},
                 {"uid", uid}
             }},
            {"reason", note.reason},
            {"message", event->message},
            {"type", note.is_warning ? "Warning" : "Normal"},
            {"source", json::Object{{"component", component_of(kind)}}},
            {"firstTimestamp", api::to_string(event->first)},
            {"lastTimestamp", api::to_string(now)},
            {"count", event->count}
        },
        now
    );
}

void ApiWriter::replace_node(const json::Value& node, Time now) {
    const std::string path = fmt::format("/api/v1/nodes/{}", text_at(node, {"metadata", "name"}));
    request("DELETE", path, json::Object(), now);
    request("POST", "/api/v1/nodes", node, now);
}

void ApiWriter::set_node_status(const json::Value& node, Time now) {
    const std::string path = fmt::format("/api/v1/nodes/{}", text_at(node, {"metadata", "name"}));
    request("PATCH", path, json::Object{{"metadata", *node.find("metadata")}}, now, kMergePatch);
    const json::Value status = json::Object{{"status", *node.find("status")}};
    request("PATCH", path + "/status", status, now, kMergePatch);
}

void ApiWriter::set_taints(const std::string& node, json::Array taints, Time now) {
    const json::Value patch = json::Object{{"spec", json::Object{{"taints", std::move(taints)}}}};
    request("PATCH", "/api/v1/nodes/" + node, patch, now, kMergePatch);
}

apiserver::Response ApiWriter::request(
    std::string_view method,
    const std::string& path,
    const json::Value& body,
    Time now,
    std::string_view type
) {
    return server_.handle(make_request(method, path, body, type), now);
}

}  // namespace sluice::sim
