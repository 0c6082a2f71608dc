#include "apiserver/objects.hpp"

#include "apiserver/conversion.hpp"
#include "apiserver/json_path.hpp"
#include "apiserver/values.hpp"
#include "base/assert.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Object;
using json::Value;

std::uint64_t to_number(std::string_view text) {
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

SortedPairs string_map(const Value* value) {
    SortedPairs pairs;
    for (const auto& [name, content] : members_of(value)) {
        if (content.is_string()) {
            pairs.emplace_back(name, content.as_string());
        }
    }
    std::ranges::sort(pairs);
    return pairs;
}

std::vector<std::string> owner_uids(const Value* metadata) {
    std::vector<std::string> uids;
    if (metadata == nullptr) {
        return uids;
    }
    for (const auto& owner : items_of(metadata->find("ownerReferences"))) {
        uids.emplace_back(owner.string_at("uid"));
    }
    return uids;
}

SortedPairs custom_fields(const ResourceVersion& version, const Value& object) {
    SortedPairs fields;
    for (const auto& path : version.selectable_fields) {
        fields.emplace_back(path.substr(1), json_path_text(object, path));
    }
    return fields;
}

SortedPairs fields_of(
    const Resource& resource, std::string_view version, const Value& object, const Stored& stored
) {
    SortedPairs fields;
    if (!resource.is_custom) {
        fields = builtin_fields(resource, object);
    } else if (const auto* described = resource.version(version); described != nullptr) {
        fields = custom_fields(*described, object);
    }
    fields.emplace_back("metadata.name", stored.name);
    fields.emplace_back("metadata.namespace", stored.namespace_);
    std::ranges::sort(fields);
    return fields;
}

std::string text_at(const Value& object, std::initializer_list<std::string_view> path) {
    const Value* value = object.find_path(path);
    if (value == nullptr) {
        return {};
    }
    return value->is_string() ? value->as_string() : json::print(*value);
}

SortedPairs pod_fields(const Value& pod) {
    const auto or_default = [](std::string text, std::string_view otherwise) {
        return text.empty() ? std::string(otherwise) : text;
    };
    return {
        {"spec.hostNetwork", or_default(text_at(pod, {"spec", "hostNetwork"}), "false")},
        {"spec.nodeName", text_at(pod, {"spec", "nodeName"})},
        {"spec.restartPolicy", text_at(pod, {"spec", "restartPolicy"})},
        {"spec.schedulerName", text_at(pod, {"spec", "schedulerName"})},
        {"spec.serviceAccountName", text_at(pod, {"spec", "serviceAccountName"})},
        {"status.nominatedNodeName", text_at(pod, {"status", "nominatedNodeName"})},
        {"status.phase", text_at(pod, {"status", "phase"})},
        {"status.podIP", text_at(pod, {"status", "podIP"})},
    };
}

SortedPairs event_fields(const Value& event) {
    SortedPairs fields;
    for (const auto* name :
         {"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"}) {
        fields.emplace_back(
            std::string("involvedObject.") + name, text_at(event, {"involvedObject", name})
        );
    }
    auto source = text_at(event, {"source", "component"});
    const auto reporter = text_at(event, {"reportingComponent"});
    fields.emplace_back("reason", text_at(event, {"reason"}));
    fields.emplace_back("reportingComponent", reporter);
    fields.emplace_back("source", source.empty() ? reporter : source);
    fields.emplace_back("type", text_at(event, {"type"}));
    return fields;
}

}  // namespace

std::string_view meta_string(const Value& object, std::string_view name) {
    const Value* metadata = object.find("metadata");
    return metadata == nullptr ? std::string_view() : metadata->string_at(name);
}

Value& metadata_of(Value& object) {
    return object_at(object, "metadata");
}

SortedPairs builtin_fields(const Resource& resource, const Value& object) {
    const auto& kind = resource.kind;
    if (kind == "Pod") {
        return pod_fields(object);
    }
    if (kind == "Event" && resource.group.empty()) {
        return event_fields(object);
    }
    if (kind == "Node") {
        const auto text = text_at(object, {"spec", "unschedulable"});
        return {{"spec.unschedulable", text.empty() ? "false" : text}};
    }
    if (kind == "Namespace") {
        return {{"name", std::string(meta_string(object, "name"))},
                {"status.phase", text_at(object, {"status", "phase"})}};
    }
    if (kind == "Secret") {
        return {{"type", text_at(object, {"type"})}};
    }
    if (kind == "Job") {
        const auto text = text_at(object, {"status", "succeeded"});
        return {{"status.successful", text.empty() ? "0" : text}};
    }
    if (kind == "ReplicaSet" || kind == "ReplicationController") {
        return {{"status.replicas", text_at(object, {"status", "replicas"})}};
    }
    return {};
}

std::vector<std::string> builtin_field_names(const Resource& resource) {
    std::vector<std::string> names;
    for (const auto& [name, value] : builtin_fields(resource, Value{Object{}})) {
        names.push_back(name);
    }
    return names;
}

StoredPtr make_stored(
    const Resource& resource, std::string_view version, const Value& object
) {
    auto stored = std::make_shared<Stored>();
    const Value* metadata = object.find("metadata");
    stored->namespace_ = meta_string(object, "namespace");
    stored->name = meta_string(object, "name");
    stored->uid = meta_string(object, "uid");
    stored->resource_version = to_number(meta_string(object, "resourceVersion"));
    stored->version = version;
    stored->labels = string_map(metadata == nullptr ? nullptr : metadata->find("labels"));
    stored->owners = owner_uids(metadata);
    stored->is_deleting = !meta_string(object, "deletionTimestamp").empty();
    stored->fields = fields_of(resource, version, object, *stored);
    stored->body = print_body(object);
    stored->body.shrink_to_fit();
    return stored;
}

std::string body_prefix(std::string_view kind, std::string_view api_version) {
    std::string out = "{\"kind\":";
    json::append_quoted(out, kind);
    out += ",\"apiVersion\":";
    json::append_quoted(out, api_version);
    out += ',';
    return out;
}

Value read_body(std::string_view kind, std::string_view api_version, std::string_view body) {
    auto parsed = json::parse(body_prefix(kind, api_version).append(body));
    SLUICE_ASSERT(parsed.has_value());
    return std::move(*parsed);
}

std::string print_body(const Value& object) {
    std::string out;
    for (const auto& [name, value] : object.as_object()) {
        if (name == "kind" || name == "apiVersion") {
            continue;
        }
        if (!out.empty()) {
            out += ',';
        }
        json::append_quoted(out, name);
        out += ':';
        out += json::print(value);
    }
    out += '}';
    return out;
}

Value read_stored(const Resource& resource, const Stored& object) {
    return read_body(resource.kind, resource.api_version(object.version), object.body);
}

std::shared_ptr<const std::string> body_in_version(
    const Resource& resource, const StoredPtr& object, std::string_view version
) {
    if (object->version == version || resource.conversion_webhook.is_null()) {
        // Shares the object's lifetime.
        return {object, &object->body};
    }
    const auto found = object->converted.find(version);
    return found == object->converted.end() ? nullptr : found->second;
}

Flow<Result<std::shared_ptr<const std::string>>> load_body(
    Core* core, ResourcePtr resource, StoredPtr object, std::string version
) {
    using Body = std::shared_ptr<const std::string>;
    if (auto body = body_in_version(*resource, object, version)) {
        co_return body;
    }
    auto converted =
        co_await convert_object(core, resource, read_stored(*resource, *object), version);
    if (!converted) {
        co_return converted.error();
    }
    Body body = std::make_shared<const std::string>(print_body(*converted));
    object->converted.insert_or_assign(version, body);
    co_return body;
}

Flow<Result<Value>> load_object(
    Core* core, ResourcePtr resource, StoredPtr object, std::string version
) {
    const auto body = co_await load_body(core, resource, object, version);
    if (!body) {
        co_return body.error();
    }
    co_return read_body(resource->kind, resource->api_version(version), **body);
}

Flow<Result<Value>> convert_object(
    Core* core, ResourcePtr resource, Value object, std::string to_version
) {
    auto api_version = resource->api_version(to_version);
    if (object.string_at("apiVersion") == api_version) {
        co_return object;
    }
    if (resource->conversion_webhook.is_null()) {
        object.set("apiVersion", std::move(api_version));
        co_return object;
    }
    co_return co_await convert_by_webhook(core, resource, std::move(object), api_version);
}

}  // namespace sluice::apiserver
