#include "apiserver/object_names.hpp"

#include "api/names.hpp"
#include "validation/metadata_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

/// Kinds whose names are DNS labels, so that they can be parts of host names.
bool has_label_name(const ResourceType& type) {
    return type.group.empty() && (type.kind == "Namespace" || type.kind == "Service");
}

/// Kinds whose names may hold nearly anything.
bool has_path_name(const ResourceType& type) {
    return type.group == "rbac.authorization.k8s.io";
}

std::string_view reason_of(validation::ErrorClass error_class) {
    using validation::ErrorClass;
    switch (error_class) {
        case ErrorClass::Invalid:
            return "FieldValueInvalid";
        case ErrorClass::Required:
            return "FieldValueRequired";
        case ErrorClass::Forbidden:
            return "FieldValueForbidden";
        case ErrorClass::Duplicate:
            return "FieldValueDuplicate";
        case ErrorClass::NotFound:
            return "FieldValueNotFound";
        case ErrorClass::NotSupported:
            return "FieldValueNotSupported";
        case ErrorClass::TooLong:
            return "FieldValueTooLong";
        case ErrorClass::TooMany:
            return "FieldValueTooMany";
    }
    return "FieldValueInvalid";
}

void add_all(std::vector<Cause>& causes, const validation::FieldErrors& errors) {
    for (const validation::FieldError& error : errors) {
        causes.push_back({std::string(reason_of(error.error_class)), error.message(), error.field});
    }
}

void add_invalid(
    std::vector<Cause>& causes, std::string field, std::string_view value, std::string_view why
) {
    causes.push_back(
        {"FieldValueInvalid",
         fmt::format("Invalid value: {}: {}", json::print(json::Value(value)), why),
         std::move(field)}
    );
}

void check_name(std::vector<Cause>& causes, const ResourceType& type, std::string_view name) {
    if (name.empty()) {
        causes.push_back(
            {"FieldValueRequired",
             "Required value: name or generateName is required",
             "metadata.name"}
        );
    } else if (has_path_name(type)) {
        if (name == "." || name == ".." || name.find_first_of("/%") != std::string_view::npos) {
            add_invalid(causes, "metadata.name", name, "may not contain '/' or '%'");
        }
    } else if (has_label_name(type)) {
        if (const auto problem = api::check_dns1123_label(name)) {
            add_invalid(causes, "metadata.name", name, *problem);
        }
    } else {
        for (const std::string& problem : api::find_dns1123_subdomain_problems(name)) {
            add_invalid(causes, "metadata.name", name, problem);
        }
    }
}

/// The map of texts at that member, where it is one.
api::StringMap texts_at(const json::Value& metadata, std::string_view member) {
    api::StringMap texts;
    const json::Value* found = metadata.find(member);
    if (found != nullptr && found->is_object()) {
        for (const auto& [key, value] : found->as_object()) {
            texts.emplace(key, value.is_string() ? value.as_string() : std::string());
        }
    }
    return texts;
}

}  // namespace

std::vector<Cause> validate_metadata(const ResourceType& type, const json::Value& object) {
    std::vector<Cause> causes;
    const json::Value* metadata = object.find("metadata");
    if (metadata == nullptr) {
        return causes;
    }
    check_name(causes, type, metadata->string_at("name"));
    add_all(causes, validation::validate_labels(texts_at(*metadata, "labels"), "metadata.labels"));
    add_all(
        causes,
        validation::validate_annotations(texts_at(*metadata, "annotations"), "metadata.annotations")
    );
    const json::Value* finalizers = metadata->find("finalizers");
    if (finalizers != nullptr && finalizers->is_array()) {
        for (std::size_t i = 0; i < finalizers->as_array().size(); ++i) {
            const json::Value& each = finalizers->as_array()[i];
            const std::string text = each.is_string() ? each.as_string() : std::string();
            for (const std::string& problem : api::find_qualified_name_problems(text)) {
                add_invalid(causes, fmt::format("metadata.finalizers[{}]", i), text, problem);
            }
        }
    }
    const json::Value* owners = metadata->find("ownerReferences");
    if (owners != nullptr && owners->is_array()) {
        int controllers = 0;
        for (std::size_t i = 0; i < owners->as_array().size(); ++i) {
            const json::Value& owner = owners->as_array()[i];
            const std::string path = fmt::format("metadata.ownerReferences[{}]", i);
            for (const char* name : {"apiVersion", "kind", "name", "uid"}) {
                if (owner.string_at(name).empty()) {
                    add_invalid(
                        causes,
                        path + "." + (std::string_view(name) == "apiVersion" ? "version" : name),
                        "",
                        std::string_view(name) == "apiVersion" ? "version must not be empty"
                                                               : "must not be empty"
                    );
                }
            }
            const json::Value* controller = owner.find("controller");
            controllers += controller != nullptr && *controller == json::Value(true) ? 1 : 0;
        }
        if (controllers > 1) {
            add_invalid(
                causes,
                "metadata.ownerReferences",
                "",
                "Only one reference can have Controller set to true"
            );
        }
    }
    return causes;
}

}  // namespace sluice::apiserver
