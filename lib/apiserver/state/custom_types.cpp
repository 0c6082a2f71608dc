#include "apiserver/state/custom_types.hpp"

#include "apiserver/objects/values.hpp"
#include "apiserver/state/custom_rules.hpp"
#include "apiserver/state/definition_validation.hpp"
#include "apiserver/table/column_path.hpp"
#include "base/assert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

std::string describe_column(const json::Value& column) {
    const std::string_view description = column.string_at("description");
    return description.empty() ? fmt::format(
                                     "Custom resource definition column (in JSONPath format): {}",
                                     column.string_at("jsonPath")
                                 )
                               : std::string(description);
}

std::vector<PrinterColumn> read_columns(const json::Value& version) {
    std::vector<PrinterColumn> columns;
    const json::Value* list = version.find("additionalPrinterColumns");
    if (list == nullptr || !list->is_array()) {
        columns.push_back(
            {.name = "Age",
             .type = "date",
             .description = "CreationTimestamp is a timestamp representing the server time when "
                            "this object was created.",
             .json_path = ".metadata.creationTimestamp"}
        );
        return columns;
    }
    for (const json::Value& each : list->as_array()) {
        if (!ColumnPath::parse(each.string_at("jsonPath"))) {
            break;  // as the API server does: it ignores the rest, too
        }
        const json::Value* priority = each.find("priority");
        columns.push_back(
            {.name = std::string(each.string_at("name")),
             .type = std::string(each.string_at("type")),
             .format = std::string(each.string_at("format")),
             .description = describe_column(each),
             .priority = priority != nullptr && priority->is_int()
                             ? static_cast<std::int32_t>(priority->as_int())
                             : 0,
             .json_path = std::string(each.string_at("jsonPath"))}
        );
    }
    return columns;
}

/// Returns the warning of a deprecated version: the definition's own text, or one that names a
/// newer version. Empty if the version is not deprecated.
std::string deprecation_of(const json::Value& version, const json::Value& spec) {
    if (!is_true(version, "deprecated")) {
        return "";
    }
    if (const json::Value* said = version.find("deprecationWarning");
        said != nullptr && said->is_string()) {
        return said->as_string();
    }
    const std::string_view name = version.string_at("name");
    std::string_view newest = name;
    for (const json::Value& other : items_of(spec.find("versions"))) {
        const std::string_view candidate = other.string_at("name");
        if (is_true(other, "served") && !is_true(other, "deprecated") &&
            is_preferred(candidate, newest)) {
            newest = candidate;
        }
    }
    const auto print_version = [&spec](std::string_view of) {
        return fmt::format(
            "{}/{} {}", spec.string_at("group"), of, spec.find("names")->string_at("kind")
        );
    };
    return newest == name
               ? fmt::format("{} is deprecated", print_version(name))
               : fmt::format(
                     "{} is deprecated; use {}", print_version(name), print_version(newest)
                 );
}

/// Compiles the schema. Requires: the definition has been checked.
std::shared_ptr<const Schema> compile(const std::shared_ptr<const json::Value>& schema) {
    static const json::Value kAnything =
        json::Object{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
    auto compiled = compile_schema(schema == nullptr ? kAnything : *schema);
    SLUICE_ASSERT(compiled.has_value());
    return std::move(*compiled);
}

}  // namespace

std::vector<ResourceType> types_of_definition(const json::Value& definition) {
    std::vector<ResourceType> types;
    const json::Value* spec = definition.find("spec");
    const json::Value* names = spec == nullptr ? nullptr : spec->find("names");
    const json::Value* versions = spec == nullptr ? nullptr : spec->find("versions");
    if (names == nullptr || versions == nullptr || !versions->is_array()) {
        return types;
    }
    std::shared_ptr<const json::Value> conversion;
    if (const json::Value* settings = spec->find("conversion");
        settings != nullptr && settings->string_at("strategy") == "Webhook") {
        const json::Value* webhook = settings->find("webhook");
        conversion = std::make_shared<const json::Value>(
            webhook == nullptr ? json::Value(json::Object()) : *webhook
        );
    }
    for (const json::Value& version : versions->as_array()) {
        if (!is_true(version, "served") && !is_true(version, "storage")) {
            continue;
        }
        ResourceType type{
            .group = std::string(spec->string_at("group")),
            .version = std::string(version.string_at("name")),
            .kind = std::string(names->string_at("kind")),
            .plural = std::string(names->string_at("plural")),
            .singular = std::string(names->string_at("singular")),
        };
        type.short_names = texts_of(names->find("shortNames"));
        type.categories = texts_of(names->find("categories"));
        type.is_namespaced = spec->string_at("scope") != "Cluster";
        type.is_custom = true;
        type.conversion = conversion;
        type.is_storage_version = is_true(version, "storage");
        // In the order in which the API server lists them.
        type.verbs = {
            "delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"
        };
        const std::vector<std::string> part_verbs{"get", "patch", "update"};
        type.has_status = version.find_path({"subresources", "status"}) != nullptr;
        if (type.has_status) {
            type.subresources.push_back({"status", type.group, type.version, type.kind, part_verbs}
            );
        }
        if (const json::Value* scale = version.find_path({"subresources", "scale"})) {
            type.subresources.push_back({"scale", "autoscaling", "v1", "Scale", part_verbs});
            type.scale = ScalePaths{
                std::string(scale->string_at("specReplicasPath")),
                std::string(scale->string_at("statusReplicasPath")),
                std::string(scale->string_at("labelSelectorPath"))
            };
        }
        if (const json::Value* schema = version.find_path({"schema", "openAPIV3Schema"})) {
            type.schema = std::make_shared<const json::Value>(*schema);
        }
        type.columns = read_columns(version);
        type.deprecation = deprecation_of(version, *spec);
        if (const json::Value* fields = version.find("selectableFields");
            fields != nullptr && fields->is_array()) {
            for (const json::Value& field : fields->as_array()) {
                const std::string_view path = field.string_at("jsonPath");
                type.selectable_fields.emplace_back(path.substr(path.starts_with('.') ? 1 : 0));
            }
        }
        type.place = types.size();
        types.push_back(std::move(type));
    }
    return types;
}

void follow_definition(State& state, const json::Value& definition, bool is_gone) {
    std::vector<ResourceType> types = types_of_definition(definition);
    if (types.empty()) {
        return;
    }
    for (ResourceType& type : types) {
        const auto before = state.types.find(type.group, type.version, type.plural);
        const bool is_same = before != nullptr && before->schema != nullptr &&
                             type.schema != nullptr && *before->schema == *type.schema;
        type.shaped_at = is_same ? before->shaped_at : state.store.version();
        if (is_same) {
            type.structure = before->structure;
            type.rules = before->rules;
        } else if (!is_gone) {
            type.structure = compile(type.schema);
            type.rules = type.schema == nullptr ? nullptr : compile_custom_rules(*type.schema);
        }
    }
    state.types.remove(types.front().group, types.front().plural);
    if (!is_gone) {
        for (ResourceType& type : types) {
            state.types.add(std::move(type));
        }
    }
}

Result<void> check_definition(
    const State& state,
    const ResourceType& type,
    const json::Value& object,
    const json::Value* old_object
) {
    if (type.kind != "CustomResourceDefinition" || type.is_custom) {
        return {};
    }
    const std::string name(object.find("metadata")->string_at("name"));
    const auto causes = find_definition_faults(object, old_object);
    if (!causes.empty()) {
        return invalid(type, name, causes);
    }
    const json::Value& spec = *object.find("spec");
    const auto known =
        state.types.find_stored(spec.string_at("group"), spec.find("names")->string_at("plural"));
    if (known != nullptr && !known->is_custom) {
        return invalid(
            type,
            name,
            {api::FieldError::invalid(
                "spec.group", spec.string_at("group"), "the kind is one of Kubernetes' own"
            )}
        );
    }
    if (const auto faults = check_definition_rules(object); !faults.empty()) {
        return invalid(type, name, faults);
    }
    return {};
}

}  // namespace sluice::apiserver
