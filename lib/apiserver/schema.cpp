#include "apiserver/schema.hpp"

#include "api/micro_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <re2/re2.h>
#include <string_view>

namespace sluice::apiserver {

namespace {

constexpr int kDepthMax = 100;
constexpr std::size_t kCausesMax = 100;

bool is_flag(const json::Value& schema, std::string_view name) {
    const json::Value* flag = schema.find(name);
    return flag != nullptr && flag->is_bool() && flag->as_bool();
}

/// The path of a member.
std::string below(const std::string& path, const std::string& name) {
    return path.empty() ? name : fmt::format("{}.{}", path, name);
}

const json::Value* schema_of_member(const json::Value& schema, std::string_view name) {
    if (const json::Value* found = schema.find_path({"properties", name})) {
        return found;
    }
    const json::Value* others = schema.find("additionalProperties");
    return others != nullptr && others->is_object() ? others : nullptr;
}

const json::Value* schema_of_elements(const json::Value& schema) {
    const json::Value* items = schema.find("items");
    return items != nullptr && items->is_object() ? items : nullptr;
}

void fill_in(const json::Value& schema, json::Value& value, int depth);

void fill_in_object(const json::Value& schema, json::Value& value, int depth) {
    if (const json::Value* properties = schema.find("properties");
        properties != nullptr && properties->is_object()) {
        for (const auto& [name, property] : properties->as_object()) {
            const json::Value* otherwise = property.find("default");
            if (otherwise == nullptr) {
                continue;
            }
            const json::Value* present = value.find(name);
            const bool is_null = present != nullptr && present->is_null();
            if (present == nullptr || (is_null && !is_flag(property, "nullable"))) {
                value.set(name, *otherwise);
            }
        }
    }
    for (auto& [name, member] : value.as_object()) {
        if (const json::Value* next = schema_of_member(schema, name)) {
            fill_in(*next, member, depth + 1);
        }
    }
    std::erase_if(value.as_object(), [&schema](const json::Member& member) {
        const json::Value* next = schema_of_member(schema, member.first);
        return member.second.is_null() && next != nullptr && !is_flag(*next, "nullable");
    });
}

void fill_in(const json::Value& schema, json::Value& value, int depth) {
    if (depth > kDepthMax) {
        return;
    }
    if (value.is_object()) {
        fill_in_object(schema, value, depth);
    } else if (value.is_array()) {
        if (const json::Value* elements = schema_of_elements(schema)) {
            for (json::Value& element : value.as_array()) {
                fill_in(*elements, element, depth + 1);
            }
        }
    }
}

class Pruner {
  public:
    std::vector<std::string> dropped;

    void visit(
        const json::Value& schema,
        json::Value& value,
        const std::string& path,
        bool is_root,
        int depth
    ) {
        if (depth > kDepthMax) {
            return;
        }
        if (value.is_array()) {
            if (const json::Value* elements = schema_of_elements(schema)) {
                for (std::size_t i = 0; i < value.as_array().size(); ++i) {
                    visit(
                        *elements,
                        value.as_array()[i],
                        fmt::format("{}[{}]", path, i),
                        false,
                        depth + 1
                    );
                }
            }
            return;
        }
        if (!value.is_object()) {
            return;
        }
        const json::Value* others = schema.find("additionalProperties");
        const bool keeps_all = is_flag(schema, "x-kubernetes-preserve-unknown-fields") ||
                               (others != nullptr && others->is_bool() && others->as_bool());
        const bool is_resource = is_root || is_flag(schema, "x-kubernetes-embedded-resource");
        std::erase_if(value.as_object(), [&](const json::Member& member) {
            const std::string& name = member.first;
            const bool is_own =
                is_resource && (name == "apiVersion" || name == "kind" || name == "metadata");
            if (is_own || keeps_all || schema_of_member(schema, name) != nullptr) {
                return false;
            }
            dropped.push_back(below(path, name));
            return true;
        });
        for (auto& [name, member] : value.as_object()) {
            const json::Value* next = schema_of_member(schema, name);
            if (next != nullptr && !(is_resource && name == "metadata")) {
                visit(*next, member, below(path, name), false, depth + 1);
            }
        }
    }
};

std::string_view type_of(const json::Value& value) {
    return value.is_null()     ? "null"
           : value.is_bool()   ? "boolean"
           : value.is_int()    ? "integer"
           : value.is_double() ? "number"
           : value.is_string() ? "string"
           : value.is_array()  ? "array"
                               : "object";
}

bool has_type(const json::Value& schema, const json::Value& value) {
    if (is_flag(schema, "x-kubernetes-int-or-string")) {
        return value.is_int() || value.is_string();
    }
    const std::string_view type = schema.string_at("type");
    if (type.empty() || (value.is_null() && is_flag(schema, "nullable"))) {
        return true;
    }
    if (type == "number") {
        return value.is_number();
    }
    if (type == "integer" && value.is_double()) {
        return value.as_double() ==
               static_cast<double>(static_cast<std::int64_t>(value.as_double()));
    }
    return type_of(value) == type;
}

/// Compiled once: objects of a kind are checked often. nullptr: it is no pattern.
const RE2* find_pattern(const std::string& pattern) {
    thread_local std::map<std::string, std::unique_ptr<RE2>> known;
    auto& place = known[pattern];
    if (!place) {
        RE2::Options options;
        options.set_log_errors(false);
        place = std::make_unique<RE2>(pattern, options);
    }
    return place->ok() ? place.get() : nullptr;
}

class Validator {
  public:
    std::vector<Cause> causes;

    void visit(
        const json::Value& schema,
        const json::Value& value,
        const std::string& path,
        bool is_root,
        int depth
    ) {
        if (depth > kDepthMax || causes.size() >= kCausesMax) {
            return;
        }
        if (!has_type(schema, value)) {
            const std::string_view wanted = schema.string_at("type");
            add("FieldValueTypeInvalid",
                path,
                fmt::format(
                    "Invalid value: \"{}\": {} in body must be of type {}: \"{}\"",
                    type_of(value),
                    path,
                    wanted,
                    type_of(value)
                ));
            return;
        }
        if (value.is_null()) {
            return;
        }
        check_enum(schema, value, path);
        if (value.is_string()) {
            check_text(schema, value.as_string(), path);
        } else if (value.is_number()) {
            check_number(schema, value, path);
        } else if (value.is_array()) {
            check_list(schema, value, path, depth);
        } else if (value.is_object()) {
            check_object(schema, value, path, is_root, depth);
        }
    }

  private:
    void add(std::string_view reason, const std::string& field, std::string message) {
        causes.push_back({std::string(reason), std::move(message), field});
    }
    void add_invalid(const std::string& path, const json::Value& value, const std::string& what) {
        add("FieldValueInvalid",
            path,
            fmt::format("Invalid value: {}: {} in body {}", shown(value), path, what));
    }

    void check_enum(const json::Value& schema, const json::Value& value, const std::string& path) {
        const json::Value* allowed = schema.find("enum");
        if (allowed == nullptr || !allowed->is_array() ||
            std::ranges::find(allowed->as_array(), value) != allowed->as_array().end()) {
            return;
        }
        std::string list;
        for (const json::Value& each : allowed->as_array()) {
            list += (list.empty() ? "" : ", ") + shown(each);
        }
        add("FieldValueNotSupported",
            path,
            fmt::format("Unsupported value: {}: supported values: {}", shown(value), list));
    }

    void check_text(const json::Value& schema, const std::string& text, const std::string& path) {
        const auto limit = [&schema](std::string_view name) {
            const json::Value* bound = schema.find(name);
            return bound != nullptr && bound->is_int() ? bound->as_int() : -1;
        };
        const auto characters = std::ranges::count_if(text, [](char c) {
            return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        });
        if (const std::int64_t most = limit("maxLength"); most >= 0 && characters > most) {
            add("FieldValueTooLong",
                path,
                fmt::format("Too long: may not be more than {} bytes", most));
        }
        if (const std::int64_t least = limit("minLength"); least >= 0 && characters < least) {
            add_invalid(path, text, fmt::format("should be at least {} chars long", least));
        }
        const json::Value* pattern = schema.find("pattern");
        if (pattern != nullptr && pattern->is_string()) {
            const RE2* compiled = find_pattern(pattern->as_string());
            if (compiled != nullptr && !RE2::PartialMatch(text, *compiled)) {
                add_invalid(path, text, fmt::format("should match '{}'", pattern->as_string()));
            }
        }
        const std::string_view format = schema.string_at("format");
        if (format == "date-time" && !api::parse_time(text)) {
            add_invalid(
                path, text, fmt::format("must be of type date-time: {}", shown(json::Value(text)))
            );
        }
    }

    void check_number(
        const json::Value& schema, const json::Value& value, const std::string& path
    ) {
        const json::Value* least = schema.find("minimum");
        if (least != nullptr && least->is_number() && value.as_double() < least->as_double()) {
            add_invalid(
                path, value, fmt::format("should be greater than or equal to {}", shown(*least))
            );
        }
        const json::Value* most = schema.find("maximum");
        if (most != nullptr && most->is_number() && value.as_double() > most->as_double()) {
            add_invalid(
                path, value, fmt::format("should be less than or equal to {}", shown(*most))
            );
        }
    }

    void check_count(
        const json::Value& schema,
        std::size_t count,
        const std::string& path,
        std::string_view least_name,
        std::string_view most_name,
        std::string_view noun
    ) {
        const json::Value* most = schema.find(most_name);
        if (most != nullptr && most->is_int() &&
            static_cast<std::int64_t>(count) > most->as_int()) {
            add("FieldValueTooMany",
                path,
                fmt::format("Too many: {}: must have at most {} items", count, most->as_int()));
        }
        const json::Value* least = schema.find(least_name);
        if (least != nullptr && least->is_int() &&
            static_cast<std::int64_t>(count) < least->as_int()) {
            add_invalid(
                path,
                static_cast<std::int64_t>(count),
                fmt::format("should have at least {} {}", least->as_int(), noun)
            );
        }
    }

    void check_list(
        const json::Value& schema, const json::Value& value, const std::string& path, int depth
    ) {
        const json::Array& list = value.as_array();
        check_count(schema, list.size(), path, "minItems", "maxItems", "items");
        if (const json::Value* elements = schema_of_elements(schema)) {
            for (std::size_t i = 0; i < list.size(); ++i) {
                visit(*elements, list[i], fmt::format("{}[{}]", path, i), false, depth + 1);
            }
        }
        check_duplicates(schema, list, path);
    }

    void check_duplicates(
        const json::Value& schema, const json::Array& list, const std::string& path
    ) {
        const std::string_view type = schema.string_at("x-kubernetes-list-type");
        if (type != "set" && type != "map") {
            return;
        }
        const json::Value* keys = schema.find("x-kubernetes-list-map-keys");
        std::vector<std::string> seen;
        for (std::size_t i = 0; i < list.size(); ++i) {
            json::Value identity = list[i];
            if (type == "map" && keys != nullptr && keys->is_array()) {
                identity = json::Object();
                for (const json::Value& key : keys->as_array()) {
                    const json::Value* part = list[i].find(key.as_string());
                    if (part != nullptr) {
                        identity.set(key.as_string(), *part);
                    }
                }
            }
            const std::string text = json::print_sorted(identity);
            if (std::ranges::find(seen, text) != seen.end()) {
                add("FieldValueDuplicate",
                    fmt::format("{}[{}]", path, i),
                    "Duplicate value: " + text);
            }
            seen.push_back(text);
        }
    }

    void check_object(
        const json::Value& schema,
        const json::Value& value,
        const std::string& path,
        bool is_root,
        int depth
    ) {
        check_count(
            schema, value.as_object().size(), path, "minProperties", "maxProperties", "properties"
        );
        if (const json::Value* required = schema.find("required");
            required != nullptr && required->is_array()) {
            for (const json::Value& name : required->as_array()) {
                const json::Value* present = value.find(name.as_string());
                if (present == nullptr) {
                    add("FieldValueRequired", below(path, name.as_string()), "Required value");
                }
            }
        }
        const json::Value* properties = schema.find("properties");
        for (const auto& [name, member] : value.as_object()) {
            if (is_root && (name == "metadata" || name == "apiVersion" || name == "kind")) {
                continue;
            }
            const bool is_property = properties != nullptr && properties->find(name) != nullptr;
            if (const json::Value* next = schema_of_member(schema, name)) {
                const bool is_named = is_property || path.empty();
                const std::string place =
                    is_named ? below(path, name) : fmt::format("{}[{}]", path, name);
                visit(*next, member, place, false, depth + 1);
            }
        }
    }
};

}  // namespace

std::string shown(const json::Value& value) {
    return value.is_object() || value.is_array() ? json::print_sorted(value) : json::print(value);
}

void apply_defaults(const json::Value& schema, json::Value& object) {
    fill_in(schema, object, 0);
}

std::vector<std::string> prune(const json::Value& schema, json::Value& object) {
    Pruner pruner;
    pruner.visit(schema, object, "", true, 0);
    return std::move(pruner.dropped);
}

std::vector<Cause> validate(const json::Value& schema, const json::Value& object) {
    Validator validator;
    validator.visit(schema, object, "", true, 0);
    return std::move(validator.causes);
}

}  // namespace sluice::apiserver
