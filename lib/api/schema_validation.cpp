#include "api/schema_validation.hpp"

#include "api/micro_time.hpp"
#include "api/names.hpp"
#include "api/schema.hpp"
#include "api/schema_rule_checks.hpp"
#include "base/assert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

namespace sluice::api {
namespace {

using json::Value;

bool is_flag(const Value& schema, std::string_view name) {
    const Value* flag = schema.find(name);
    return flag != nullptr && flag->is_bool() && flag->as_bool();
}

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

/// By hand: std::regex recurses once a character, so that a long string would end the process.
bool matches_pattern(std::string_view pattern, std::string_view text) {
    if (pattern == schema_pattern("SUB")) {
        return has_subdomain_form(text);
    }
    if (pattern == schema_pattern("LBL")) {
        return has_label_form(text);
    }
    if (pattern == schema_pattern("KEY")) {
        return has_qualified_name_form(text);
    }
    if (pattern == schema_pattern("KND")) {
        return is_kind(text);
    }
    if (pattern == schema_pattern("RSN")) {
        return is_reason(text);
    }
    SLUICE_ASSERT(pattern == schema_pattern("QTY"));
    return is_quantity(text);
}

std::string_view type_name(const Value& value) {
    return value.is_null()     ? "null"
           : value.is_bool()   ? "a boolean"
           : value.is_int()    ? "an integer"
           : value.is_double() ? "a number"
           : value.is_string() ? "a string"
           : value.is_array()  ? "a list"
                               : "an object";
}

/// The length that Kubernetes counts: code points, not bytes.
std::int64_t count_characters(std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    });
}

std::string join(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

class Validator {
  public:
    void check(const Value& schema, const Value& value, const std::string& path) {
        const std::size_t before = violations_.size();
        if (is_flag(schema, "x-kubernetes-int-or-string")) {
            check_int_or_string(schema, value, path);
        } else {
            check_type(schema, value, path);
        }
        if (violations_.size() == before) {
            check_rules(schema, value, path);
        }
    }
    void add(const std::string& path, std::string message) {
        violations_.push_back({path, std::move(message)});
    }
    std::vector<FieldViolation> take() { return std::move(violations_); }

  private:
    void check_int_or_string(const Value& schema, const Value& value, const std::string& path) {
        if (value.is_string()) {
            check_pattern(schema, value.as_string(), path);
        } else if (!value.is_int()) {
            add(path, fmt::format("must be an integer or a string, not {}", type_name(value)));
        }
    }

    void check_type(const Value& schema, const Value& value, const std::string& path) {
        const auto type = schema.string_at("type");
        if (type == "object" && value.is_object()) {
            check_object(schema, value, path);
        } else if (type == "array" && value.is_array()) {
            check_list(schema, value, path);
        } else if (type == "string" && value.is_string()) {
            check_string(schema, value.as_string(), path);
        } else if (type == "integer" && is_whole(value)) {
            check_integer(schema, value, path);
        } else if (!(type == "boolean" && value.is_bool()) &&
                   !(type == "number" && value.is_number())) {
            const bool vowel = type == "object" || type == "array" || type == "integer";
            const auto name = type == "array" ? "list" : type;
            add(path,
                fmt::format(
                    "must be {} {}, not {}",
                    vowel && name != "list" ? "an" : "a",
                    name,
                    type_name(value)
                ));
        }
    }

    static bool is_whole(const Value& value) {
        return value.is_int() ||
               (value.is_double() && value.as_double() == std::trunc(value.as_double()));
    }

    void check_object(const Value& schema, const Value& value, const std::string& path) {
        const Value* properties = schema.find("properties");
        const Value* others = schema.find("additionalProperties");
        if (const Value* required = schema.find("required")) {
            for (const Value& name : required->as_array()) {
                if (value.find(name.as_string()) == nullptr) {
                    add(join(path, name.as_string()), "Required value");
                }
            }
        }
        for (const auto& [key, member] : value.as_object()) {
            const Value* known = properties != nullptr ? properties->find(key) : nullptr;
            if (known != nullptr) {
                check(*known, member, join(path, key));
            } else if (others != nullptr && others->is_object()) {
                check(*others, member, fmt::format("{}[{}]", path, key));
            }
        }
        const auto count = static_cast<std::int64_t>(value.as_object().size());
        check_bounds(schema, count, {"minProperties", "maxProperties", " entries"}, path);
    }

    void check_list(const Value& schema, const Value& value, const std::string& path) {
        const auto& items = value.as_array();
        const auto count = static_cast<std::int64_t>(items.size());
        check_bounds(schema, count, {"minItems", "maxItems", " items"}, path);
        const Value* item_schema = schema.find("items");
        const auto list_type = schema.string_at("x-kubernetes-list-type");
        std::set<std::string> seen;
        for (std::size_t i = 0; i < items.size(); ++i) {
            const auto item_path = fmt::format("{}[{}]", path, i);
            if (item_schema != nullptr) {
                check(*item_schema, items[i], item_path);
            }
            const bool is_keyed = list_type == "map";
            if ((is_keyed || list_type == "set") &&
                !seen.insert(identity(schema, items[i], is_keyed)).second) {
                add(item_path, "Duplicate value");
            }
        }
    }

    /// What makes an item of a list of type set or map different from the others.
    static std::string identity(const Value& schema, const Value& item, bool is_keyed) {
        if (!is_keyed) {
            return json::print_sorted(item);
        }
        std::string text;
        for (const Value& key : schema.find("x-kubernetes-list-map-keys")->as_array()) {
            const Value* part = item.find(key.as_string());
            text += (part != nullptr ? json::print(*part) : "-") + "\n";
        }
        return text;
    }

    void check_string(const Value& schema, const std::string& text, const std::string& path) {
        check_bounds(
            schema, count_characters(text), {"minLength", "maxLength", " characters"}, path
        );
        check_pattern(schema, text, path);
        if (schema.string_at("format") == "date-time") {
            if (const auto time = parse_time(text); !time) {
                add(path, time.error().detail);
            }
        }
        const Value* values = schema.find("enum");
        if (values == nullptr) {
            return;
        }
        std::string listed;
        for (const Value& value : values->as_array()) {
            if (value.as_string() == text) {
                return;
            }
            listed += fmt::format("{}\"{}\"", listed.empty() ? "" : ", ", value.as_string());
        }
        add(path, fmt::format("Unsupported value: \"{}\": supported values: {}", text, listed));
    }

    void check_pattern(const Value& schema, const std::string& text, const std::string& path) {
        const auto pattern = schema.string_at("pattern");
        if (!pattern.empty() && !matches_pattern(pattern, text)) {
            add(path, fmt::format("\"{}\" must match '{}'", text.substr(0, 64), pattern));
        }
    }

    void check_integer(const Value& schema, const Value& value, const std::string& path) {
        constexpr double kInt64 = 9.2e18;
        const bool is_huge = value.is_double() && std::abs(value.as_double()) > kInt64;
        const auto number = value.is_int() ? value.as_int()
                            : is_huge      ? std::int64_t{0}
                                           : static_cast<std::int64_t>(value.as_double());
        const bool is_int32 = schema.string_at("format") == "int32";
        if (is_huge || (is_int32 && (number > std::numeric_limits<std::int32_t>::max() ||
                                     number < std::numeric_limits<std::int32_t>::min()))) {
            add(path, fmt::format("does not fit into {} bits", is_int32 ? 32 : 64));
            return;
        }
        check_bounds(schema, number, {"minimum", "maximum", ""}, path);
    }

    struct Bounds {
        std::string_view min;
        std::string_view max;
        std::string_view unit;
    };
    void check_bounds(
        const Value& schema, std::int64_t number, const Bounds& bounds, const std::string& path
    ) {
        const std::string_view have = bounds.unit.empty() ? "be" : "have";
        const Value* min = schema.find(bounds.min);
        if (min != nullptr && number < min->as_int()) {
            add(path,
                fmt::format(
                    "must {} at least {}{}, not {}", have, min->as_int(), bounds.unit, number
                ));
        }
        const Value* max = schema.find(bounds.max);
        if (max != nullptr && number > max->as_int()) {
            add(path,
                fmt::format(
                    "must {} at most {}{}, not {}", have, max->as_int(), bounds.unit, number
                ));
        }
    }

    void check_rules(const Value& schema, const Value& value, const std::string& path) {
        const Value* rules = schema.find("x-kubernetes-validations");
        if (rules == nullptr) {
            return;
        }
        for (const Value& rule : rules->as_array()) {
            if (!check_rule(rule.string_at("rule"), value).value_or(true)) {
                add(path, std::string(rule.string_at("message")));
            }
        }
    }

    std::vector<FieldViolation> violations_;
};

void collect_unknown(
    const Value& schema, const Value& value, const std::string& path, std::vector<std::string>& out
) {
    if (const Value* items = schema.find("items"); items != nullptr && value.is_array()) {
        for (std::size_t i = 0; i < value.as_array().size(); ++i) {
            collect_unknown(*items, value.as_array()[i], fmt::format("{}[{}]", path, i), out);
        }
    }
    const Value* properties = schema.find("properties");
    if (properties == nullptr || !value.is_object()) {
        return;
    }
    for (const auto& [key, member] : value.as_object()) {
        if (const Value* known = properties->find(key)) {
            collect_unknown(*known, member, join(path, key), out);
        } else {
            out.push_back(join(path, key));
        }
    }
}

void fill_in(const Value& schema, Value& value) {
    if (value.is_array()) {
        if (const Value* items = schema.find("items")) {
            for (Value& item : value.as_array()) {
                fill_in(*items, item);
            }
        }
        return;
    }
    if (!value.is_object()) {
        return;
    }
    const Value* properties = schema.find("properties");
    const Value* others = schema.find("additionalProperties");
    if (properties != nullptr || others != nullptr) {
        std::erase_if(value.as_object(), [&](const json::Member& member) {
            const bool is_known =
                properties != nullptr && properties->find(member.first) != nullptr;
            return member.second.is_null() && (is_known || others != nullptr);
        });
    }
    if (properties != nullptr) {
        for (const auto& [name, property] : properties->as_object()) {
            const Value* fallback = property.find("default");
            if (fallback != nullptr && value.find(name) == nullptr) {
                value.set(name, *fallback);
            }
        }
    }
    for (auto& [key, member] : value.as_object()) {
        const Value* known = properties != nullptr ? properties->find(key) : nullptr;
        if (known != nullptr) {
            fill_in(*known, member);
        } else if (others != nullptr) {
            fill_in(*others, member);
        }
    }
}

}  // namespace

Result<void> apply_defaults(std::string_view kind, std::string_view version, Value& object) {
    const Value* schema = find_schema(kind, version);
    if (schema == nullptr) {
        return make_invalid(fmt::format("there is no schema of {} in {}", kind, version));
    }
    fill_in(*schema, object);
    return {};
}

std::vector<FieldViolation> find_schema_violations(
    std::string_view kind, std::string_view version, const Value& object
) {
    const Value* schema = find_schema(kind, version);
    if (schema == nullptr) {
        return {};
    }
    Validator validator;
    validator.check(*schema, object, "");
    if (const Value* name = object.find_path({"metadata", "name"});
        name != nullptr && name->is_string()) {
        if (const auto problem = check_dns1123_subdomain(name->as_string())) {
            validator.add("metadata.name", *problem);
        }
    }
    return validator.take();
}

std::vector<std::string> find_unknown_fields(
    std::string_view kind, std::string_view version, const Value& object
) {
    std::vector<std::string> unknown;
    if (const Value* schema = find_schema(kind, version)) {
        collect_unknown(*schema, object, "", unknown);
    }
    return unknown;
}

Result<void> validate_schema(std::string_view kind, std::string_view version, const Value& object) {
    std::string detail;
    for (const auto& violation : find_schema_violations(kind, version, object)) {
        const std::string_view separator = violation.field.empty() ? "" : ": ";
        detail += fmt::format(
            "{}{}{}{}", detail.empty() ? "" : "; ", violation.field, separator, violation.message
        );
    }
    if (!detail.empty()) {
        return make_invalid(std::move(detail));
    }
    return {};
}

}  // namespace sluice::api
