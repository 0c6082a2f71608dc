#include "apiserver/types/builtin_types.hpp"

#include "apiserver/objects/values.hpp"
#include "base/assert.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

std::string_view builtin_resources();
std::string_view builtin_columns();

namespace {

Subresource read_subresource(const json::Value& part, const ResourceType& type) {
    const json::Value& kind = *part.find("responseKind");
    const bool is_own = kind.string_at("version").empty();
    return {
        .name = std::string(part.string_at("subresource")),
        .group = is_own ? type.group : std::string(kind.string_at("group")),
        .version = is_own ? type.version : std::string(kind.string_at("version")),
        .kind = std::string(kind.string_at("kind")),
        .verbs = texts_of(part.find("verbs"))
    };
}

/// Reads a column, which is a list of name, type, format and priority.
PrinterColumn read_column(const json::Value& column) {
    const json::Array& parts = column.as_array();
    return {
        .name = parts[0].as_string(),
        .type = parts[1].as_string(),
        .format = parts[2].as_string(),
        .priority = static_cast<std::int32_t>(parts[3].as_int())
    };
}

/// Returns the deprecation warning of a built-in kind; empty if the kind is not deprecated.
std::string builtin_deprecation_of(std::string_view plural) {
    if (plural == "endpoints") {
        return "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
    }
    return plural == "componentstatuses" ? "v1 ComponentStatus is deprecated in v1.19+" : "";
}

/// `paths`: the JSONPaths of columns, by kind and name of the column.
ResourceType read_type(const json::Value& entry, const json::Value& paths) {
    const json::Value& discovery = *entry.find("discovery");
    ResourceType type{
        .group = std::string(entry.string_at("group")),
        .version = std::string(entry.string_at("version")),
        .kind = std::string(discovery.find("responseKind")->string_at("kind")),
        .plural = std::string(discovery.string_at("resource")),
        .singular = std::string(discovery.string_at("singularResource")),
        .short_names = texts_of(discovery.find("shortNames")),
        .categories = texts_of(discovery.find("categories")),
        .verbs = texts_of(discovery.find("verbs"))
    };
    type.deprecation = type.group.empty() ? builtin_deprecation_of(type.plural) : "";
    type.is_namespaced = discovery.string_at("scope") == "Namespaced";
    type.is_review = type.verbs == std::vector<std::string>{"create"};
    for (const json::Value& part : items_of(discovery.find("subresources"))) {
        type.subresources.push_back(read_subresource(part, type));
        const std::string& name = type.subresources.back().name;
        type.has_status = type.has_status || name == "status";
        if (name == "scale") {
            type.scale = ScalePaths{".spec.replicas", ".status.replicas", ""};
        }
    }
    for (const json::Value& column : items_of(entry.find("columns"))) {
        PrinterColumn& made = type.columns.emplace_back(read_column(column));
        if (const json::Value* path = paths.find_path({type.kind, made.name})) {
            made.json_path = path->as_string();
        }
    }
    return type;
}

}  // namespace

std::vector<ResourceType> builtin_types() {
    const auto entries = json::parse(builtin_resources());
    const auto paths = json::parse(builtin_columns());
    SLUICE_ASSERT(entries.has_value() && paths.has_value());
    std::vector<ResourceType> types;
    types.reserve(entries->as_array().size());
    for (const json::Value& entry : entries->as_array()) {
        types.push_back(read_type(entry, *paths));
    }
    return types;
}

}  // namespace sluice::apiserver
