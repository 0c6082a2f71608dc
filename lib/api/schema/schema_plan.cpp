#include "api/schema/schema_plan.hpp"

#include "api/meta/names.hpp"
#include "api/schema/schema.hpp"
#include "api/schema/schema_rule_checks.hpp"
#include "base/assert.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace sluice::api {
namespace {

using json::Value;
using Type = SchemaPlan::Type;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// The patterns match by hand: std::regex recurses once a character and would let a long string end
/// us.
bool is_kind(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return has_label_form(lower) && is_letter(lower.front());
}

bool is_reason(std::string_view text) {
    return !text.empty() && is_letter(text.front()) &&
           (is_letter(text.back()) || is_digit(text.back()) || text.back() == '_') &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return is_letter(c) || is_digit(c) || c == '_' || c == ',' || c == ':';
           });
}

/// Digits with at most one point, one digit at least; the length of what is such a number.
std::size_t number_length(std::string_view text) {
    std::size_t i = 0;
    std::size_t digits = 0;
    for (bool point = false; i < text.size(); ++i) {
        if (is_digit(text[i])) {
            ++digits;
        } else if (text[i] == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    return digits == 0 ? 0 : i;
}

std::string_view without_sign(std::string_view text) {
    return text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
}

bool is_quantity(std::string_view text) {
    text = without_sign(text);
    const auto length = number_length(text);
    if (length == 0) {
        return false;
    }
    text.remove_prefix(length);
    if (text.empty() || (text.size() == 1 &&
                         std::string_view("numkMGTPE").find(text[0]) != std::string_view::npos)) {
        return true;
    }
    if (text.size() == 2 && text[1] == 'i') {
        return std::string_view("KMGTPE").find(text[0]) != std::string_view::npos;
    }
    if (text[0] != 'e' && text[0] != 'E') {
        return false;
    }
    text = without_sign(text.substr(1));
    return number_length(text) == text.size() && !text.empty();
}

using Match = bool (*)(std::string_view);

Match find_match(std::string_view pattern) {
    constexpr std::array<std::pair<std::string_view, Match>, 6> kMatches{{
        {"SUB", has_subdomain_form},
        {"LBL", has_label_form},
        {"KEY", has_qualified_name_form},
        {"KND", is_kind},
        {"RSN", is_reason},
        {"QTY", is_quantity},
    }};
    const auto found = std::ranges::find_if(kMatches, [&](const auto& entry) {
        return schema_pattern(entry.first) == pattern;
    });
    SLUICE_ASSERT(found != kMatches.end());
    return found->second;
}

Type to_type(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, Type>, 6> kTypeNames{{
        {"object", Type::Object},
        {"array", Type::List},
        {"string", Type::String},
        {"integer", Type::Integer},
        {"boolean", Type::Boolean},
        {"number", Type::Number},
    }};
    const auto found =
        std::ranges::find(kTypeNames, name, &std::pair<std::string_view, Type>::first);
    return found == kTypeNames.end() ? Type::Other : found->second;
}

bool is_flag(const Value& schema, std::string_view name) {
    const Value* flag = schema.find(name);
    return flag != nullptr && flag->is_bool() && flag->as_bool();
}

std::vector<std::string_view> texts_at(const Value& schema, std::string_view name) {
    std::vector<std::string_view> texts;
    if (const Value* list = schema.find(name)) {
        for (const Value& text : list->as_array()) {
            texts.emplace_back(text.as_string());
        }
    }
    return texts;
}

std::optional<std::int64_t> number_at(const Value& schema, std::string_view name) {
    const Value* number = schema.find(name);
    return number == nullptr ? std::nullopt : std::optional(number->as_int());
}

void read_bounds(const Value& schema, SchemaPlan& plan) {
    const auto read = [&](std::string_view min, std::string_view max) {
        plan.min = number_at(schema, min);
        plan.max = number_at(schema, max);
    };
    if (plan.type == Type::Object) {
        read("minProperties", "maxProperties");
    } else if (plan.type == Type::List) {
        read("minItems", "maxItems");
    } else if (plan.type == Type::String) {
        read("minLength", "maxLength");
    } else if (plan.type == Type::Integer) {
        read("minimum", "maximum");
    }
}

SchemaPlan make_plan(const Value& schema);

std::unique_ptr<const SchemaPlan> make_part(const Value& schema) {
    return std::make_unique<const SchemaPlan>(make_plan(schema));
}

void read_object(const Value& schema, SchemaPlan& plan) {
    if (const Value* properties = schema.find("properties")) {
        plan.has_properties = true;
        for (const auto& [name, property] : properties->as_object()) {
            plan.properties.emplace(name, make_part(property));
            if (const Value* fallback = property.find("default")) {
                plan.defaults.emplace_back(name, fallback);
            }
        }
    }
    plan.required = texts_at(schema, "required");
    if (const Value* others = schema.find("additionalProperties")) {
        plan.has_others = true;
        plan.others = others->is_object() ? make_part(*others) : nullptr;
    }
}

void read_list(const Value& schema, SchemaPlan& plan) {
    if (const Value* items = schema.find("items")) {
        plan.items = make_part(*items);
    }
    const auto type = schema.string_at("x-kubernetes-list-type");
    if (type == "map") {
        plan.list_type = SchemaPlan::ListType::Map;
        plan.list_keys = texts_at(schema, "x-kubernetes-list-map-keys");
    } else if (type == "set") {
        plan.list_type = SchemaPlan::ListType::Set;
    }
}

SchemaPlan make_plan(const Value& schema) {
    SchemaPlan plan;
    plan.type_name = schema.string_at("type");
    plan.type = to_type(plan.type_name);
    plan.is_int_or_string = is_flag(schema, "x-kubernetes-int-or-string");
    plan.is_time = schema.string_at("format") == "date-time";
    plan.is_int32 = schema.string_at("format") == "int32";
    read_bounds(schema, plan);
    plan.pattern = schema.string_at("pattern");
    plan.matches = plan.pattern.empty() ? nullptr : find_match(plan.pattern);
    plan.values = texts_at(schema, "enum");
    read_object(schema, plan);
    read_list(schema, plan);
    if (const Value* rules = schema.find("x-kubernetes-validations")) {
        for (const Value& rule : rules->as_array()) {
            if (const auto check = find_rule_check(rule.string_at("rule"))) {
                plan.rules.push_back({check, rule.string_at("message")});
            }
        }
    }
    return plan;
}

struct KindPlan {
    std::string_view kind;
    std::string_view version;
    SchemaPlan plan;
};

}  // namespace

const SchemaPlan* find_schema_plan(std::string_view kind, std::string_view version) {
    static const auto kPlans = [] {
        std::vector<KindPlan> plans;
        for (const KindInfo& info : kueue_kinds()) {
            for (const auto* v : {"v1beta1", "v1beta2"}) {
                plans.push_back({info.kind, v, make_plan(*find_schema(info.kind, v))});
            }
        }
        return plans;
    }();
    const auto found = std::ranges::find_if(kPlans, [&](const KindPlan& plan) {
        return plan.kind == kind && plan.version == version;
    });
    return found == kPlans.end() ? nullptr : &found->plan;
}

}  // namespace sluice::api
