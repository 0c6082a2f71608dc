#include "apiserver/render.hpp"

#include "apiserver/objects.hpp"
#include "apiserver/table_cells.hpp"
#include "json/writer.hpp"
#include "kube/core/raw_json.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;
using As = OutputForm::As;

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

/// The raw metadata in a body.
std::string metadata_text(std::string_view body) {
    const std::string whole = "{" + std::string(body);
    const auto raw = kube::find_raw(whole, {"metadata"});
    return raw.empty() ? "{}" : std::string(raw);
}

void append_list_metadata(
    std::string& out, std::uint64_t version, std::string_view continue_token, std::int64_t remaining
) {
    out += fmt::format("\"metadata\":{{\"resourceVersion\":\"{}\"", version);
    if (!continue_token.empty()) {
        out += ",\"continue\":";
        json::append_quoted(out, continue_token);
    }
    if (remaining > 0) {
        out += fmt::format(",\"remainingItemCount\":{}", remaining);
    }
    out += '}';
}

}  // namespace

Renderer::Renderer(
    ResourcePtr resource, std::string version, OutputForm form, IncludeObject include
)
    : resource_(std::move(resource)),
      version_(resource_->version(version)),
      form_(std::move(form)),
      include_(include),
      prefix_(body_prefix(resource_->kind, resource_->api_version(version))) {}

void Renderer::partial(std::string& out, std::string_view body) const {
    out += fmt::format(
        "{{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/{}\",\"metadata\":",
        form_.version.empty() ? "v1" : form_.version
    );
    out += metadata_text(body);
    out += '}';
}

void Renderer::columns(std::string& out) const {
    Array list;
    for (const auto& column : version_->columns) {
        Value entry{Object{}};
        entry.set("name", column.name);
        entry.set("type", column.type);
        entry.set("format", column.format);
        entry.set("description", column.description);
        entry.set("priority", column.priority);
        list.push_back(std::move(entry));
    }
    out += json::print(Value(std::move(list)));
}

void Renderer::row(std::string& out, std::string_view body, Time now) const {
    const Value object =
        read_body(resource_->kind, resource_->api_version(version_->name), body);
    out += "{\"cells\":";
    out += json::print(Value(table_cells(*resource_, *version_, object, now)));
    if (include_ == IncludeObject::Object) {
        out += ",\"object\":" + prefix_;
        out += body;
    } else if (include_ == IncludeObject::Metadata) {
        out += ",\"object\":";
        partial(out, body);
    }
    out += '}';
}

void Renderer::object(
    std::string& out, std::string_view body, Time now, bool shows_columns
) const {
    switch (form_.as) {
        case As::Object:
            out += prefix_;
            out += body;
            return;
        case As::PartialMetadata:
        case As::PartialMetadataList:
            partial(out, body);
            return;
        case As::Table:
            break;
    }
    const std::string whole = "{" + std::string(body);
    out += fmt::format(
        "{{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/{}\",\"metadata\":{{"
        "\"resourceVersion\":\"{}\"}},\"columnDefinitions\":",
        form_.version,
        kube::find_string(whole, {"metadata", "resourceVersion"})
    );
    if (shows_columns) {
        columns(out);
    } else {
        out += "null";
    }
    out += ",\"rows\":[";
    row(out, body, now);
    out += "]}";
}

std::string Renderer::tree(const Value& object, Time now) const {
    const bool is_own_kind = object.string_at("kind") == resource_->kind;
    if (form_.as == As::Object || !is_own_kind) {
        return json::print(object);
    }
    std::string out;
    this->object(out, print_body(object), now);
    return out;
}

void Renderer::begin_list(
    std::string& out,
    std::uint64_t version,
    std::string_view continue_token,
    std::int64_t remaining
) const {
    if (form_.as == As::Object) {
        out += body_prefix(resource_->list_kind, resource_->api_version(version_->name));
    } else {
        const bool is_table = form_.as == As::Table;
        out += body_prefix(
            is_table ? "Table" : "PartialObjectMetadataList", "meta.k8s.io/" + form_.version
        );
    }
    append_list_metadata(out, version, continue_token, remaining);
    if (form_.as == As::Table) {
        out += ",\"columnDefinitions\":";
        columns(out);
        out += ",\"rows\":[";
    } else {
        out += ",\"items\":[";
    }
}

void Renderer::item(std::string& out, std::string_view body, bool is_first, Time now) const {
    if (!is_first) {
        out += ',';
    }
    switch (form_.as) {
        case As::Object:
            // Items of built-in kinds do not repeat what the list says.
            out += resource_->is_custom ? std::string_view(prefix_) : std::string_view("{");
            out += body;
            return;
        case As::PartialMetadata:
        case As::PartialMetadataList:
            partial(out, body);
            return;
        case As::Table:
            row(out, body, now);
            return;
    }
}

void Renderer::end_list(std::string& out) const {
    out += "]}";
}

void Renderer::bookmark(std::string& out, std::uint64_t version, bool ends_present) const {
    auto metadata = fmt::format("\"metadata\":{{\"resourceVersion\":\"{}\"", version);
    if (ends_present) {
        metadata += fmt::format(",\"annotations\":{{\"{}\":\"true\"}}", kInitialEventsEnd);
    }
    metadata += "}}";
    switch (form_.as) {
        case As::Object:
            out += prefix_;
            break;
        case As::PartialMetadata:
        case As::PartialMetadataList:
            out += body_prefix("PartialObjectMetadata", "meta.k8s.io/" + form_.version);
            break;
        case As::Table:
            out += body_prefix("Table", "meta.k8s.io/" + form_.version);
            metadata.insert(metadata.size() - 1, ",\"columnDefinitions\":null,\"rows\":[]");
            break;
    }
    out += metadata;
}

}  // namespace sluice::apiserver
