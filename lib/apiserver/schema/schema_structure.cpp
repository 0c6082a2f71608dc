#include "apiserver/schema/schema_structure.hpp"

#include "apiserver/objects/field_checks.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/schema/schema.hpp"
#include "apiserver/schema/schema_functions.hpp"
#include "cel/values/regex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

constexpr std::size_t kFaultsMax = 200;

/// Keywords of JSON schema that a CRD must not use.
constexpr std::array<std::string_view, 6> kUnsupported{
    "$ref", "additionalItems", "definitions", "dependencies", "id", "patternProperties"
};
/// Keywords that describe structure; they are not allowed in allOf, anyOf, oneOf and not.
constexpr std::array<std::string_view, 14> kStructural{
    "type",
    "default",
    "title",
    "description",
    "nullable",
    "additionalProperties",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
    "example",
};

bool is_type(std::string_view type) {
    constexpr std::array<std::string_view, 6> kTypes{
        "array", "boolean", "integer", "number", "object", "string"
    };
    return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

bool has(const Value& schema, std::string_view key) {
    const Value* found = schema.find(key);
    return found != nullptr && !found->is_null();
}

/// The position of a schema, which decides whether the schema needs a type.
enum class Place : std::uint8_t { Root, Field, Item };

class StructureChecker {
  public:
    Causes causes;

    void check(const Value& schema, const std::string& path, Place place, int depth) {
        if (depth > kSchemaDepthMax) {
            causes.push_back(api::FieldError::forbidden(path, "the schema is nested too deeply"));
            return;
        }
        if (!schema.is_object() || causes.size() > kFaultsMax) {
            return;
        }
        check_words(schema, path);
        check_type(schema, path, place);
        check_pattern(schema, path);
        check_list(schema, path);
        check_extensions(schema, path);
        check_default(schema, path);
        if (place == Place::Root || is_true(schema, "x-kubernetes-embedded-resource")) {
            check_identity(schema, path);
        }
        check_below(schema, path, depth);
        for (const auto* key : {"allOf", "anyOf", "oneOf"}) {
            const auto& parts = items_of(schema.find(key));
            const bool is_union =
                is_true(schema, "x-kubernetes-int-or-string") && std::string_view(key) != "oneOf";
            for (std::size_t i = 0; i < parts.size(); ++i) {
                check_part(parts[i], fmt::format("{}.{}[{}]", path, key, i), is_union, depth + 1);
            }
        }
        if (const Value* part = schema.find("not")) {
            check_part(*part, path + ".not", false, depth + 1);
        }
    }

  private:
    void check_words(const Value& schema, const std::string& path) {
        for (const auto word : kUnsupported) {
            if (has(schema, word)) {
                causes.push_back(api::FieldError::forbidden(
                    fmt::format("{}.{}", path, word), fmt::format("{} is not supported", word)
                ));
            }
        }
        if (is_true(schema, "uniqueItems")) {
            causes.push_back(api::FieldError::forbidden(
                path + ".uniqueItems",
                "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
            ));
        }
        const Value* additional = schema.find("additionalProperties");
        if (!members_of(schema.find("properties")).empty() && additional != nullptr &&
            !additional->is_null() && *additional != Value(true)) {
            causes.push_back(api::FieldError::forbidden(
                path + ".additionalProperties",
                "additionalProperties and properties are mutual exclusive"
            ));
        }
    }

    void check_type(const Value& schema, const std::string& path, Place place) {
        const auto type = schema.string_at("type");
        const auto field = path + ".type";
        if (place == Place::Root) {
            if (type.empty()) {
                causes.push_back(api::FieldError::required(field, "must not be empty at the root"));
            } else if (type != "object") {
                causes.push_back(api::FieldError::invalid(field, type, "must be object at the root")
                );
            }
            if (is_true(schema, "nullable")) {
                causes.push_back(api::FieldError::forbidden(
                    path + ".nullable", "nullable cannot be true at the root"
                ));
            }
            return;
        }
        const bool may_be_open = is_true(schema, "x-kubernetes-int-or-string") ||
                                 is_true(schema, "x-kubernetes-preserve-unknown-fields");
        if (type.empty() && !may_be_open && !has(schema, "$ref")) {
            causes.push_back(api::FieldError::required(
                field,
                place == Place::Item ? "must not be empty for specified array items"
                                     : "must not be empty for specified object fields"
            ));
        } else if (!type.empty() && !is_type(type)) {
            causes.push_back(api::FieldError::not_supported(
                field, type, {"array", "boolean", "integer", "number", "object", "string"}
            ));
        }
    }

    void check_pattern(const Value& schema, const std::string& path) {
        const auto pattern = schema.string_at("pattern");
        if (const auto problem = cel::Regex(pattern).problem()) {
            causes.push_back(api::FieldError::invalid(
                path + ".pattern",
                pattern,
                "must be a valid regular expression, but isn't: error parsing regexp: " + *problem
            ));
        }
    }

    void check_list(const Value& schema, const std::string& path) {
        const Value* items = schema.find("items");
        if (schema.string_at("type") == "array" && (items == nullptr || items->is_null())) {
            causes.push_back(api::FieldError::required(path + ".items", "must be specified"));
        } else if (items != nullptr && items->is_array()) {
            causes.push_back(api::FieldError::forbidden(
                path + ".items", "items must be a schema object and not an array"
            ));
        }
        const auto list_type = schema.string_at("x-kubernetes-list-type");
        if (list_type.empty()) {
            return;
        }
        if (list_type != "atomic" && list_type != "set" && list_type != "map") {
            causes.push_back(api::FieldError::not_supported(
                path + ".x-kubernetes-list-type", list_type, {"atomic", "set", "map"}
            ));
        }
        if (schema.string_at("type") != "array") {
            causes.push_back(api::FieldError::invalid(
                path + ".type",
                schema.string_at("type"),
                "must be array if x-kubernetes-list-type is specified"
            ));
        } else if (items != nullptr && items->is_object() && list_type == "set") {
            check_set_items(*items, path + ".items");
        } else if (items != nullptr && items->is_object() && list_type == "map") {
            check_map_keys(schema, *items, path);
        }
    }

    void check_set_items(const Value& items, const std::string& path) {
        if (is_true(items, "nullable")) {
            causes.push_back(api::FieldError::forbidden(
                path + ".nullable", "cannot be nullable when x-kubernetes-list-type is set"
            ));
        }
        const auto type = items.string_at("type");
        if (type == "object" && items.string_at("x-kubernetes-map-type") != "atomic") {
            causes.push_back(api::FieldError::invalid(
                path + ".x-kubernetes-map-type",
                member_or_null(items, "x-kubernetes-map-type"),
                "must be atomic as item of a list with x-kubernetes-list-type=set"
            ));
        }
        const auto inner = items.string_at("x-kubernetes-list-type");
        if (type == "array" && !inner.empty() && inner != "atomic") {
            causes.push_back(api::FieldError::invalid(
                path + ".x-kubernetes-list-type",
                inner,
                "must be atomic as item of a list with x-kubernetes-list-type=set"
            ));
        }
    }

    void check_map_keys(const Value& schema, const Value& items, const std::string& path) {
        const auto& keys = items_of(schema.find("x-kubernetes-list-map-keys"));
        const auto field = path + ".x-kubernetes-list-map-keys";
        if (keys.empty()) {
            causes.push_back(api::FieldError::required(
                field, "must not be empty if x-kubernetes-list-type is map"
            ));
            return;
        }
        const Value* properties = items.find("properties");
        const auto& required = items_of(items.find("required"));
        for (const auto& key : keys) {
            const Value* property = properties == nullptr || !key.is_string()
                                        ? nullptr
                                        : properties->find(key.as_string());
            if (property == nullptr) {
                causes.push_back(api::FieldError::invalid(
                    field, Value(keys), "entries must all be names of item properties"
                ));
                return;
            }
            const bool is_required =
                std::find(required.begin(), required.end(), key) != required.end();
            if (!is_required && !has(*property, "default")) {
                causes.push_back(api::FieldError::required(
                    fmt::format("{}.items.properties[{}].default", path, key.as_string()),
                    "this property is in x-kubernetes-list-map-keys, so it must have a default or "
                    "be a required property"
                ));
            }
        }
    }

    void check_extensions(const Value& schema, const std::string& path) {
        const auto type = schema.string_at("type");
        if (has(schema, "x-kubernetes-map-type") && type != "object") {
            causes.push_back(api::FieldError::invalid(
                path + ".type", type, "must be object if x-kubernetes-map-type is specified"
            ));
        }
        const Value* preserves = schema.find("x-kubernetes-preserve-unknown-fields");
        if (preserves != nullptr && preserves->is_bool() && !preserves->as_bool()) {
            causes.push_back(api::FieldError::invalid(
                path + ".x-kubernetes-preserve-unknown-fields",
                *preserves,
                "must be true or undefined"
            ));
        }
        if (!is_true(schema, "x-kubernetes-embedded-resource")) {
            return;
        }
        if (members_of(schema.find("properties")).empty() &&
            !is_true(schema, "x-kubernetes-preserve-unknown-fields")) {
            causes.push_back(api::FieldError::required(
                path + ".properties",
                "must not be empty if x-kubernetes-embedded-resource is true without "
                "x-kubernetes-preserve-unknown-fields"
            ));
        }
        if (type != "object") {
            causes.push_back(api::FieldError::invalid(
                path + ".type", type, "must be object if x-kubernetes-embedded-resource is true"
            ));
        }
    }

    void check_default(const Value& schema, const std::string& path) {
        const Value* value = schema.find("default");
        if (value == nullptr || value->is_null()) {
            return;
        }
        const auto compiled = compile_schema(schema);
        if (!compiled) {
            return;
        }
        const auto field = path + ".default";
        Value pruned = *value;
        if (!prune_part(**compiled, pruned).empty()) {
            causes.push_back(api::FieldError::invalid(field, *value, "must not have unknown fields")
            );
            return;
        }
        for (auto& cause : validate(**compiled, *value)) {
            cause.field = cause.field.empty() ? field : field + "." + cause.field;
            causes.push_back(std::move(cause));
        }
    }

    /// Checks apiVersion, kind and metadata of a root schema, which has them even if it does not
    /// declare them.
    void check_identity(const Value& schema, const std::string& path) {
        const Value* properties = schema.find("properties");
        if (properties == nullptr) {
            return;
        }
        for (const auto* name : {"apiVersion", "kind"}) {
            const Value* property = properties->find(name);
            if (property != nullptr && property->string_at("type") != "string") {
                causes.push_back(api::FieldError::invalid(
                    fmt::format("{}.properties[{}].type", path, name),
                    property->string_at("type"),
                    "must be string"
                ));
            }
        }
        const Value* metadata = properties->find("metadata");
        if (metadata == nullptr) {
            return;
        }
        const auto field = path + ".properties[metadata]";
        if (metadata->string_at("type") != "object") {
            causes.push_back(api::FieldError::invalid(
                field + ".type", metadata->string_at("type"), "must be object"
            ));
        }
        const auto& members = members_of(metadata->find("properties"));
        const bool says_more = std::any_of(members.begin(), members.end(), [](const auto& member) {
            return member.first != "name" && member.first != "generateName";
        });
        if (says_more) {
            causes.push_back(api::FieldError::forbidden(
                field,
                "must not specify anything other than name and generateName, but metadata is "
                "implicitly specified"
            ));
        }
    }

    void check_below(const Value& schema, const std::string& path, int depth) {
        for (const auto& [name, property] : members_of(schema.find("properties"))) {
            check(property, fmt::format("{}.properties[{}]", path, name), Place::Field, depth + 1);
        }
        const Value* additional = schema.find("additionalProperties");
        if (additional != nullptr && additional->is_object()) {
            check(*additional, path + ".additionalProperties", Place::Field, depth + 1);
        }
        const Value* items = schema.find("items");
        if (items != nullptr && items->is_object()) {
            check(*items, path + ".items", Place::Item, depth + 1);
        }
    }

    /// Checks a schema inside allOf, anyOf, oneOf or not. `is_union`: the schema may be a part of
    /// int-or-string.
    void check_part(const Value& part, const std::string& path, bool is_union, int depth) {
        if (depth > kSchemaDepthMax || !part.is_object() || causes.size() > kFaultsMax) {
            return;
        }
        for (const auto word : kStructural) {
            const bool is_allowed = is_union && word == "type";
            if (has(part, word) && !is_allowed) {
                causes.push_back(api::FieldError::forbidden(
                    fmt::format("{}.{}", path, word), "must be empty to be structural"
                ));
            }
        }
        check_pattern(part, path);
        for (const auto& [name, property] : members_of(part.find("properties"))) {
            check_part(property, fmt::format("{}.properties[{}]", path, name), false, depth + 1);
        }
        if (const Value* items = part.find("items")) {
            check_part(*items, path + ".items", false, depth + 1);
        }
        for (const auto* key : {"allOf", "anyOf", "oneOf"}) {
            const auto& parts = items_of(part.find(key));
            for (std::size_t i = 0; i < parts.size(); ++i) {
                check_part(parts[i], fmt::format("{}.{}[{}]", path, key, i), is_union, depth + 1);
            }
        }
        if (const Value* negated = part.find("not")) {
            check_part(*negated, path + ".not", false, depth + 1);
        }
    }
};

}  // namespace

std::vector<Cause> check_structural(const Value& schema, const std::string& path) {
    StructureChecker checker;
    checker.check(schema, path, Place::Root, 0);
    return std::move(checker.causes);
}

}  // namespace sluice::apiserver
