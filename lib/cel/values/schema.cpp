#include "cel/values/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::cel {
namespace {

constexpr int kMaxDepth = 200;

bool flag(const json::Value& schema, std::string_view name) {
    const json::Value* found = schema.find(name);
    return found != nullptr && found->is_bool() && found->as_bool();
}

std::optional<std::int64_t> number(const json::Value& schema, std::string_view name) {
    const json::Value* found = schema.find(name);
    if (found == nullptr || !found->is_number()) {
        return std::nullopt;
    }
    constexpr double kLargest = 1e15;
    const double value = std::clamp(found->as_double(), 0.0, kLargest);
    return static_cast<std::int64_t>(value);
}

std::vector<std::string> strings(const json::Value& schema, std::string_view name) {
    std::vector<std::string> result;
    if (const json::Value* found = schema.find(name); found != nullptr && found->is_array()) {
        for (const json::Value& each : found->as_array()) {
            if (each.is_string()) {
                result.push_back(each.as_string());
            }
        }
    }
    return result;
}

std::vector<SchemaRule> read_rules(const json::Value& schema) {
    std::vector<SchemaRule> rules;
    const json::Value* found = schema.find("x-kubernetes-validations");
    if (found == nullptr || !found->is_array()) {
        return rules;
    }
    for (const json::Value& each : found->as_array()) {
        SchemaRule& rule = rules.emplace_back();
        rule.rule = each.string_at("rule");
        rule.message = each.string_at("message");
        rule.message_expression = each.string_at("messageExpression");
        rule.field_path = each.string_at("fieldPath");
        if (const json::Value* reason = each.find("reason");
            reason != nullptr && reason->is_string()) {
            rule.reason = reason->as_string();
        }
        if (const json::Value* old = each.find("optionalOldSelf");
            old != nullptr && old->is_bool()) {
            rule.optional_old_self = old->as_bool();
        }
    }
    return rules;
}

/// Returns the length of the longest string that the schema allows, in bytes.
std::int64_t max_string(const Schema& schema) {
    constexpr std::int64_t kBytesPerCharacter = 4;
    if (schema.max_length) {
        return *schema.max_length * kBytesPerCharacter;
    }
    if (schema.has_enum && !schema.is_int_or_string) {
        std::size_t longest = 0;
        for (const auto& each : schema.enum_strings) {
            longest = std::max(longest, each.size());
        }
        return static_cast<std::int64_t>(longest);
    }
    return kMaxRequest - 2;
}

TypePtr make_type(Kind kind, std::int64_t max_elements, std::int64_t min_size) {
    auto type = std::make_shared<Type>();
    type->kind = kind;
    type->max_elements = max_elements;
    type->min_size = min_size;
    return type;
}

TypePtr declare_string(const Schema& schema) {
    constexpr std::int64_t kMaxTime = 32;
    constexpr std::int64_t kDate = 12;
    constexpr std::int64_t kMinDateTime = 21;
    if (schema.format == "byte") {
        return make_type(Kind::Bytes, schema.max_length.value_or(kMaxRequest - 2), 2);
    }
    if (schema.format == "duration") {
        return make_type(Kind::Duration, kMaxTime, 3);
    }
    if (schema.format == "date") {
        return make_type(Kind::Timestamp, kDate, kDate);
    }
    if (schema.format == "date-time") {
        return make_type(Kind::Timestamp, kMaxTime, kMinDateTime);
    }
    return make_type(Kind::String, max_string(schema), 2);
}

TypePtr declare_collection(const Schema& schema) {
    auto type = std::make_shared<Type>();
    type->min_size = 2;
    if (schema.type == "array") {
        if (schema.items == nullptr || schema.items->declared == nullptr) {
            return nullptr;
        }
        type->kind = Kind::List;
        type->parameters = {schema.items->declared};
        type->max_elements =
            schema.max_items.value_or((kMaxRequest - 2) / (schema.items->declared->min_size + 1));
        return type;
    }
    if (schema.additional->declared == nullptr) {
        return nullptr;
    }
    constexpr std::int64_t kAroundEntry = 6;
    type->kind = Kind::Map;
    type->parameters = {simple_type(Kind::String), schema.additional->declared};
    type->max_elements = schema.max_properties.value_or(
        (kMaxRequest - 2) / (schema.additional->declared->min_size + kAroundEntry)
    );
    return type;
}

TypePtr declare_object(const Schema& schema, const std::string& name) {
    constexpr std::int64_t kAroundMember = 4;
    auto type = std::make_shared<Type>();
    type->kind = Kind::Object;
    type->name = name;
    type->min_size = 2;
    for (const auto& [property, part] : schema.properties) {
        if (part->declared == nullptr) {
            continue;
        }
        if (auto escaped = escape_name(property)) {
            type->fields.emplace(std::move(*escaped), part->declared);
        }
        if (!part->has_default && std::ranges::count(schema.required, property) != 0) {
            type->min_size += static_cast<std::int64_t>(property.size()) +
                              part->declared->min_size + kAroundMember;
        }
    }
    return type;
}

TypePtr declare(const Schema& schema, const std::string& name) {
    if (schema.is_int_or_string) {
        return make_type(Kind::Dyn, max_string(schema), 1);
    }
    if (schema.type == "array" || (schema.type == "object" && schema.additional != nullptr)) {
        return declare_collection(schema);
    }
    if (schema.type == "object") {
        return declare_object(schema, name);
    }
    if (schema.type == "string") {
        return declare_string(schema);
    }
    constexpr std::int64_t kBoolean = 4;
    return schema.type == "boolean"   ? make_type(Kind::Bool, 0, kBoolean)
           : schema.type == "number"  ? make_type(Kind::Double, 0, 1)
           : schema.type == "integer" ? make_type(Kind::Int, 0, 1)
                                      : nullptr;
}

bool is_string_property(const Schema& schema, std::string_view name) {
    const Schema* found = schema.find(name);
    return found != nullptr && found->type == "string";
}

std::unique_ptr<Schema> make_string_schema() {
    auto schema = std::make_unique<Schema>();
    schema->type = "string";
    schema->declared = declare(*schema, "");
    return schema;
}

/// Adds the fields that expressions can use in every resource, whatever its schema says.
void add_object_meta(Schema& schema, const std::string& name) {
    const Schema* known = schema.find("metadata");
    if (is_string_property(schema, "kind") && is_string_property(schema, "apiVersion") &&
        known != nullptr && known->type == "object" && is_string_property(*known, "name") &&
        is_string_property(*known, "generateName")) {
        return;
    }
    schema.has_properties = true;
    schema.properties["kind"] = make_string_schema();
    schema.properties["apiVersion"] = make_string_schema();
    auto metadata = std::make_unique<Schema>();
    metadata->type = "object";
    metadata->has_properties = true;
    metadata->properties["name"] = make_string_schema();
    metadata->properties["generateName"] = make_string_schema();
    metadata->declared = declare(*metadata, name + ".metadata");
    schema.properties["metadata"] = std::move(metadata);
}

class SchemaReader {
  public:
    std::unique_ptr<Schema> read(const json::Value& source, const std::string& name, bool is_root) {
        auto schema = std::make_unique<Schema>();
        if (++depth_ > kMaxDepth) {
            is_too_deep_ = true;
            return schema;
        }
        read_traits(source, *schema);
        read_parts(source, *schema, name);
        if (schema->type == "object" && (is_root || schema->is_embedded)) {
            add_object_meta(*schema, name);
        }
        schema->declared = declare(*schema, name);
        schema->scope = name;
        --depth_;
        return schema;
    }
    bool is_too_deep() const { return is_too_deep_; }

  private:
    static void read_traits(const json::Value& source, Schema& schema) {
        schema.type = source.string_at("type");
        schema.format = source.string_at("format");
        schema.is_nullable = flag(source, "nullable");
        schema.is_int_or_string = flag(source, "x-kubernetes-int-or-string");
        schema.preserves_unknown = flag(source, "x-kubernetes-preserve-unknown-fields");
        schema.is_embedded = flag(source, "x-kubernetes-embedded-resource");
        schema.has_default = source.find("default") != nullptr;
        const auto list_type = source.string_at("x-kubernetes-list-type");
        schema.list_type = list_type == "map"   ? Schema::ListType::Map
                           : list_type == "set" ? Schema::ListType::Set
                                                : Schema::ListType::Atomic;
        schema.list_keys = strings(source, "x-kubernetes-list-map-keys");
        schema.required = strings(source, "required");
        schema.enum_strings = strings(source, "enum");
        const json::Value* values = source.find("enum");
        schema.has_enum = values != nullptr && values->is_array() && !values->as_array().empty();
        schema.max_length = number(source, "maxLength");
        schema.max_items = number(source, "maxItems");
        schema.max_properties = number(source, "maxProperties");
        schema.rules = read_rules(source);
    }

    void read_parts(const json::Value& source, Schema& schema, const std::string& name) {
        if (const json::Value* items = source.find("items");
            items != nullptr && items->is_object()) {
            schema.items = read(*items, name + ".@idx", false);
        }
        if (const json::Value* others = source.find("additionalProperties");
            others != nullptr && others->is_object()) {
            schema.additional = read(*others, name + ".@elem", false);
        }
        if (const json::Value* found = source.find("properties");
            found != nullptr && found->is_object() && !found->as_object().empty()) {
            schema.has_properties = true;
            for (const auto& [property, part] : found->as_object()) {
                std::string below = name + ".";
                below += escape_name(property).value_or(property);
                schema.properties[property] = read(part, below, false);
            }
        }
        find_misplaced(source, "", schema);
    }

    /// Finds rules below allOf, anyOf, oneOf and not, where they are not allowed.
    void find_misplaced(const json::Value& source, const std::string& path, Schema& schema) {
        for (const std::string_view name : {"allOf", "anyOf", "oneOf"}) {
            const json::Value* list = source.find(name);
            const std::size_t count =
                list != nullptr && list->is_array() ? list->as_array().size() : 0;
            for (std::size_t i = 0; i < count; ++i) {
                find_rules(list->as_array()[i], fmt::format("{}.{}[{}]", path, name, i), schema);
            }
        }
        if (const json::Value* excluded = source.find("not")) {
            find_rules(*excluded, path + ".not", schema);
        }
    }

    void find_rules(const json::Value& part, const std::string& path, Schema& schema) {
        if (++depth_ > kMaxDepth) {
            is_too_deep_ = true;
            return;
        }
        if (!read_rules(part).empty()) {
            schema.misplaced_rules.push_back(path);
        }
        for (const std::string_view name : {"items", "additionalProperties"}) {
            if (const json::Value* below = part.find(name)) {
                find_rules(*below, fmt::format("{}.{}", path, name), schema);
            }
        }
        if (const json::Value* properties = part.find("properties");
            properties != nullptr && properties->is_object()) {
            for (const auto& [name, below] : properties->as_object()) {
                find_rules(below, fmt::format("{}.properties[{}]", path, name), schema);
            }
        }
        find_misplaced(part, path, schema);
        --depth_;
    }

    int depth_ = 0;
    bool is_too_deep_ = false;
};

}  // namespace

const Schema* Schema::find(std::string_view name) const {
    const auto found = properties.find(name);
    return found != properties.end() ? found->second.get() : nullptr;
}

Result<std::unique_ptr<Schema>> read_schema(const json::Value& open_api_v3_schema, bool is_root) {
    if (!open_api_v3_schema.is_object()) {
        return make_invalid("a schema must be an object");
    }
    SchemaReader reader;
    auto schema = reader.read(open_api_v3_schema, "@self", is_root);
    if (reader.is_too_deep()) {
        return make_invalid("the schema is nested too deeply");
    }
    return schema;
}

}  // namespace sluice::cel
