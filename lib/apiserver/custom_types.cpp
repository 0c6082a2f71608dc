#include "apiserver/custom_types.hpp"

#include "apiserver/custom_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

std::vector<std::string> texts(const json::Value* list) {
    std::vector<std::string> found;
    if (list != nullptr && list->is_array()) {
        for (const json::Value& each : list->as_array()) {
            if (each.is_string()) {
                found.push_back(each.as_string());
            }
        }
    }
    return found;
}

std::vector<PrinterColumn> columns_of(const json::Value& version) {
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
        const json::Value* priority = each.find("priority");
        columns.push_back(
            {.name = std::string(each.string_at("name")),
             .type = std::string(each.string_at("type")),
             .format = std::string(each.string_at("format")),
             .description = std::string(each.string_at("description")),
             .priority = priority != nullptr && priority->is_int()
                             ? static_cast<std::int32_t>(priority->as_int())
                             : 0,
             .json_path = std::string(each.string_at("jsonPath"))}
        );
    }
    return columns;
}

bool is_true(const json::Value* value) {
    return value != nullptr && *value == json::Value(true);
}

void check_versions(const json::Value& object, std::vector<Cause>& causes) {
    const json::Value* versions = object.find_path({"spec", "versions"});
    if (versions == nullptr || !versions->is_array() || versions->as_array().empty()) {
        causes.push_back({"FieldValueRequired", "Required value", "spec.versions"});
    } else {
        const auto stored =
            std::ranges::count_if(versions->as_array(), [](const json::Value& each) {
                return is_true(each.find("storage"));
            });
        if (stored != 1) {
            causes.push_back(
                {"FieldValueInvalid",
                 fmt::format(
                     "Invalid value: {}: must have exactly one version marked as storage version",
                     json::print(*versions)
                 ),
                 "spec.versions"}
            );
        }
        for (std::size_t i = 0; i < versions->as_array().size(); ++i) {
            if (versions->as_array()[i].find_path({"schema", "openAPIV3Schema"}) == nullptr) {
                causes.push_back(
                    {"FieldValueRequired",
                     "Required value: schemas are required",
                     fmt::format("spec.versions[{}].schema.openAPIV3Schema", i)}
                );
            }
        }
    }
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
    for (const json::Value& version : versions->as_array()) {
        if (!is_true(version.find("served")) && !is_true(version.find("storage"))) {
            continue;
        }
        ResourceType type{
            .group = std::string(spec->string_at("group")),
            .version = std::string(version.string_at("name")),
            .kind = std::string(names->string_at("kind")),
            .plural = std::string(names->string_at("plural")),
            .singular = std::string(names->string_at("singular")),
        };
        type.short_names = texts(names->find("shortNames"));
        type.categories = texts(names->find("categories"));
        type.is_namespaced = spec->string_at("scope") != "Cluster";
        type.is_custom = true;
        type.is_storage_version = is_true(version.find("storage"));
        type.has_status = version.find_path({"subresources", "status"}) != nullptr;
        if (const json::Value* scale = version.find_path({"subresources", "scale"})) {
            type.scale = ScalePaths{
                std::string(scale->string_at("specReplicasPath")),
                std::string(scale->string_at("statusReplicasPath")),
                std::string(scale->string_at("labelSelectorPath"))
            };
        }
        if (const json::Value* schema = version.find_path({"schema", "openAPIV3Schema"})) {
            type.schema = std::make_shared<const json::Value>(*schema);
            type.rules = compile_custom_rules(*schema);
        }
        type.columns = columns_of(version);
        if (const json::Value* fields = version.find("selectableFields");
            fields != nullptr && fields->is_array()) {
            for (const json::Value& field : fields->as_array()) {
                const std::string_view path = field.string_at("jsonPath");
                type.selectable_fields.emplace_back(path.substr(path.starts_with('.') ? 1 : 0));
            }
        }
        types.push_back(std::move(type));
    }
    return types;
}

void follow_definition(State& state, const json::Value& definition, bool is_gone) {
    std::vector<ResourceType> types = types_of_definition(definition);
    if (types.empty()) {
        return;
    }
    state.types.remove(types.front().group, types.front().plural);
    if (!is_gone) {
        for (ResourceType& type : types) {
            state.types.add(std::move(type));
        }
    }
}

Result<void> check_definition(
    const State& state, const ResourceType& type, const json::Value& object
) {
    if (type.kind != "CustomResourceDefinition" || type.is_custom) {
        return {};
    }
    std::vector<Cause> causes;
    const auto refuse = [&causes](std::string field, const json::Value& value, std::string why) {
        causes.push_back(
            {"FieldValueInvalid",
             fmt::format("Invalid value: {}: {}", json::print(value), why),
             std::move(field)}
        );
    };
    const auto require = [&](std::initializer_list<std::string_view> path, std::string field) {
        const json::Value* found = object.find_path(path);
        if (found == nullptr || !found->is_string() || found->as_string().empty()) {
            causes.push_back({"FieldValueRequired", "Required value", std::move(field)});
        }
    };
    require({"spec", "group"}, "spec.group");
    require({"spec", "scope"}, "spec.scope");
    require({"spec", "names", "plural"}, "spec.names.plural");
    require({"spec", "names", "kind"}, "spec.names.kind");
    const std::string name(object.find("metadata")->string_at("name"));
    const json::Value* plural = object.find_path({"spec", "names", "plural"});
    const json::Value* group = object.find_path({"spec", "group"});
    if (causes.empty()) {
        const std::string wanted = plural->as_string() + "." + group->as_string();
        if (name != wanted) {
            refuse(
                "metadata.name",
                json::Value(name),
                fmt::format("must be spec.names.plural+\".\"+spec.group")
            );
        }
    }
    check_versions(object, causes);
    if (!causes.empty()) {
        return invalid(type, name, causes);
    }
    const auto known = state.types.find_stored(group->as_string(), plural->as_string());
    if (known != nullptr && !known->is_custom) {
        return invalid(
            type,
            name,
            {{"FieldValueInvalid", "Invalid value: the kind is Kubernetes' own", "spec.group"}}
        );
    }
    causes = check_definition_rules(object);
    if (!causes.empty()) {
        return invalid(type, name, causes);
    }
    return {};
}

}  // namespace sluice::apiserver
