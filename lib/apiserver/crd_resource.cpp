#include "apiserver/crd_resource.hpp"

#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

std::vector<std::string> strings_of(const Value* list) {
    std::vector<std::string> out;
    for (const auto& item : items_of(list)) {
        if (item.is_string()) {
            out.push_back(item.as_string());
        }
    }
    return out;
}

std::vector<Column> read_columns(const Value& version) {
    std::vector<Column> columns{
        {.name = "Name", .type = "string", .format = "name", .json_path = ".metadata.name"}
    };
    const auto& written = items_of(version.find("additionalPrinterColumns"));
    for (const auto& entry : written) {
        Column column;
        column.name = entry.string_at("name");
        column.type = entry.string_at("type");
        column.format = entry.string_at("format");
        column.description = entry.string_at("description");
        column.priority = static_cast<int>(int_at(entry, "priority", 0));
        column.json_path = entry.string_at("jsonPath");
        columns.push_back(std::move(column));
    }
    if (written.empty()) {
        columns.push_back(
            {.name = "Age", .type = "date", .json_path = ".metadata.creationTimestamp"}
        );
    }
    return columns;
}

void read_subresources(const Value& described, ResourceVersion& version) {
    const Value* wanted = described.find("subresources");
    if (wanted == nullptr) {
        return;
    }
    const std::vector<std::string> verbs{"get", "patch", "update"};
    if (wanted->find("status") != nullptr) {
        version.subresources.push_back({.name = "status", .verbs = verbs});
    }
    if (const Value* scale = wanted->find("scale"); scale != nullptr) {
        version.subresources.push_back(
            {.name = "scale", .verbs = verbs, .group = "autoscaling", .version = "v1", .kind = "Scale"}
        );
        version.scale = ScalePaths{
            .spec_replicas = std::string(scale->string_at("specReplicasPath")),
            .status_replicas = std::string(scale->string_at("statusReplicasPath")),
            .label_selector = std::string(scale->string_at("labelSelectorPath")),
        };
    }
}

Result<ResourceVersion> read_version(const Value& described, const ResourcePtr& previous) {
    ResourceVersion version;
    version.name = described.string_at("name");
    version.served = is_true(described, "served");
    version.columns = read_columns(described);
    read_subresources(described, version);
    for (const auto& field : items_of(described.find("selectableFields"))) {
        version.selectable_fields.emplace_back(field.string_at("jsonPath"));
    }
    const Value* schema = described.find_path({"schema", "openAPIV3Schema"});
    if (schema == nullptr) {
        return version;
    }
    version.open_api_schema = *schema;
    const auto* known = previous == nullptr ? nullptr : previous->version(version.name);
    if (known != nullptr && known->open_api_schema == *schema) {
        version.schema = known->schema;
        version.rules = known->rules;
        return version;
    }
    auto compiled = compile_schema(*schema);
    if (!compiled) {
        return compiled.error();
    }
    version.schema = std::move(*compiled);
    return version;
}

void read_deprecation(const Value& described, const Resource& resource, ResourceVersion& version) {
    if (!is_true(described, "deprecated")) {
        return;
    }
    version.deprecation_warning = described.string_at("deprecationWarning");
    if (version.deprecation_warning.empty()) {
        version.deprecation_warning = fmt::format(
            "{} {} is deprecated", resource.api_version(version.name), resource.kind
        );
    }
}

}  // namespace

Result<Resource> make_crd_resource(const Value& crd, const ResourcePtr& previous) {
    Resource resource;
    resource.is_custom = true;
    const Value* spec = crd.find("spec");
    const Value* names = spec == nullptr ? nullptr : spec->find("names");
    if (names == nullptr) {
        return make_invalid("a CRD needs spec.names");
    }
    resource.group = spec->string_at("group");
    resource.plural = names->string_at("plural");
    resource.singular = names->string_at("singular");
    resource.kind = names->string_at("kind");
    resource.list_kind = names->string_at("listKind");
    if (resource.list_kind.empty()) {
        resource.list_kind = resource.kind + "List";
    }
    resource.short_names = strings_of(names->find("shortNames"));
    resource.categories = strings_of(names->find("categories"));
    resource.namespaced = spec->string_at("scope") == "Namespaced";
    resource.verbs = {
        "delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"
    };
    for (const auto& described : items_of(spec->find("versions"))) {
        auto version = read_version(described, previous);
        if (!version) {
            return version.error();
        }
        read_deprecation(described, resource, *version);
        if (is_true(described, "storage")) {
            resource.storage_version = version->name;
        }
        resource.versions.push_back(std::move(*version));
    }
    const Value* conversion = spec->find("conversion");
    if (conversion != nullptr && conversion->string_at("strategy") == "Webhook") {
        if (const Value* webhook = conversion->find("webhook"); webhook != nullptr) {
            resource.conversion_webhook = *webhook;
        }
    }
    return resource;
}

}  // namespace sluice::apiserver
