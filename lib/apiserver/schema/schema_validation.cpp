#include "apiserver/objects/formats.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/schema/list_types.hpp"
#include "apiserver/schema/schema_functions.hpp"
#include "cel/values/regex.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

constexpr std::size_t kCausesMax = 1000;
/// The field of a fault for which the API server names no path.
constexpr std::string_view kNoField = "<nil>";

std::string_view type_name(Schema::Type type) {
    switch (type) {
        case Schema::Type::Any:
            return "";
        case Schema::Type::Object:
            return "object";
        case Schema::Type::Array:
            return "array";
        case Schema::Type::String:
            return "string";
        case Schema::Type::Integer:
            return "integer";
        case Schema::Type::Number:
            return "number";
        case Schema::Type::Boolean:
            return "boolean";
    }
    return "";
}

/// Returns the type of a value as the API server's validation names it, and its format.
std::pair<std::string_view, std::string_view> types_of_value(const Value& value) {
    if (value.is_null()) {
        return {"null", ""};
    }
    if (value.is_bool()) {
        return {"boolean", ""};
    }
    if (value.is_int()) {
        return {"integer", "int64"};
    }
    if (value.is_double()) {
        return {"number", "float64"};
    }
    if (value.is_string()) {
        return {"string", ""};
    }
    return {value.is_array() ? "array" : "object", ""};
}

bool is_whole(const Value& value) {
    return value.is_double() && std::trunc(value.as_double()) == value.as_double() &&
           std::abs(value.as_double()) < 9.2e18;
}

bool has_type(const Schema& schema, const Value& value) {
    if (schema.int_or_string) {
        return value.is_int() || value.is_string() || is_whole(value);
    }
    switch (schema.type) {
        case Schema::Type::Any:
            return true;
        case Schema::Type::Object:
            return value.is_object();
        case Schema::Type::Array:
            return value.is_array();
        case Schema::Type::String:
            return value.is_string();
        case Schema::Type::Integer:
            return value.is_int() || is_whole(value);
        case Schema::Type::Number:
            return value.is_number();
        case Schema::Type::Boolean:
            return value.is_bool();
    }
    return false;
}

/// Prints the number as Go's %v prints a float.
std::string printed_number(double number) {
    if (std::trunc(number) == number && std::abs(number) < 1e21) {
        return fmt::format("{:.0f}", number);
    }
    return fmt::format("{}", number);
}

class Validator {
  public:
    /// `old`: the value before the update; a part that is equal to its old value is not refused.
    void check(const Schema& schema, const Value& value, const Value* old, int depth) {
        if (depth > kObjectDepthMax || causes_.size() >= kCausesMax) {
            return;
        }
        if (old != nullptr && depth > 0 && *old == value) {
            return;
        }
        check_type(schema, value);
        if (!value.is_null()) {
            check_combinations(schema, value, old, depth);
            check_string(schema, value);
            check_number(schema, value);
            if (value.is_array()) {
                check_items(schema, value.as_array(), old, depth);
            }
        }
        check_enumeration(schema, value);
        if (value.is_object()) {
            check_members(schema, value, old, depth);
        }
    }

    std::vector<Cause> take() { return std::move(causes_); }

  private:
    void refuse(const Value& value, std::string_view detail) {
        causes_.push_back(api::FieldError::invalid(path_, value, in_body(detail)));
    }
    void refuse_nowhere(std::string_view detail) {
        causes_.push_back(api::FieldError::invalid(std::string(kNoField), "", detail));
    }
    std::string in_body(std::string_view detail) const {
        return fmt::format("{} in body {}", path_, detail);
    }
    void refuse_type(std::string_view wanted, std::string_view found) {
        auto detail = in_body(fmt::format("must be of type {}: \"{}\"", wanted, found));
        causes_.push_back(api::FieldError::invalid_type(path_, std::string(found), detail));
    }

    void check_type(const Schema& schema, const Value& value) {
        if (value.is_null() && schema.nullable) {
            return;
        }
        const auto [type, format] = types_of_value(value);
        const bool is_numeric = schema.int_or_string || schema.type == Schema::Type::Integer ||
                                schema.type == Schema::Type::Number;
        const bool is_free = value.is_string() || value.is_array();
        if (schema.type == Schema::Type::Any && !schema.int_or_string) {
            return;
        }
        const bool fits = has_type(schema, value);
        if (!schema.format.empty() && !value.is_null()) {
            if (!is_free && !fits && format != schema.format) {
                refuse_type(schema.format, format);
                return;
            }
            if (!is_numeric && is_free) {
                return;
            }
        }
        if (!fits) {
            refuse_type(schema.int_or_string ? "integer,string" : type_name(schema.type), type);
        }
    }

    /// Returns true if the value is valid under a part of the schema. Its faults go to `faults`.
    bool is_valid(const Schema& part, const Value& value, int depth, std::vector<Cause>& faults)
        const {
        Validator other;
        other.path_ = path_;
        // Without the old value, which would skip unchanged parts: they would seem to be valid.
        other.check(part, value, nullptr, depth + 1);
        faults = other.take();
        return faults.empty();
    }

    void append(std::vector<Cause> more) {
        for (auto& cause : more) {
            causes_.push_back(std::move(cause));
        }
    }

    void check_combinations(const Schema& schema, const Value& value, const Value* old, int depth) {
        std::vector<Cause> faults;
        if (!schema.any_of.empty()) {
            check_any_of(schema, value, depth);
        }
        if (!schema.one_of.empty()) {
            check_one_of(schema, value, depth);
        }
        std::size_t valid = 0;
        for (const Schema* part : schema.all_of) {
            const auto before = causes_.size();
            check(*part, value, old, depth + 1);
            valid += causes_.size() == before ? 1 : 0;
        }
        if (valid != schema.all_of.size()) {
            refuse_nowhere(fmt::format("\"{}\" must validate all the schemas (allOf)", path_));
        }
        if (schema.negated != nullptr && is_valid(*schema.negated, value, depth, faults)) {
            refuse_nowhere(fmt::format("\"{}\" must not validate the schema (not)", path_));
        }
    }

    void check_any_of(const Schema& schema, const Value& value, int depth) {
        std::vector<Cause> first;
        for (const Schema* part : schema.any_of) {
            std::vector<Cause> faults;
            if (is_valid(*part, value, depth, faults)) {
                return;
            }
            if (first.empty()) {
                first = std::move(faults);
            }
        }
        refuse_nowhere(fmt::format("\"{}\" must validate at least one schema (anyOf)", path_));
        append(std::move(first));
    }

    void check_one_of(const Schema& schema, const Value& value, int depth) {
        std::vector<Cause> first;
        std::size_t valid = 0;
        for (const Schema* part : schema.one_of) {
            std::vector<Cause> faults;
            if (is_valid(*part, value, depth, faults)) {
                ++valid;
            } else if (first.empty()) {
                first = std::move(faults);
            }
        }
        if (valid == 1) {
            return;
        }
        const auto found =
            valid == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", valid);
        refuse_nowhere(
            fmt::format("\"{}\" must validate one and only one schema (oneOf). {}", path_, found)
        );
        if (valid == 0) {
            append(std::move(first));
        }
    }

    void check_string(const Schema& schema, const Value& value) {
        if (!value.is_string()) {
            return;
        }
        const auto& text = value.as_string();
        const auto length = count_characters(text);
        if (schema.max_length && length > *schema.max_length) {
            causes_.push_back(
                api::FieldError::too_long(path_, static_cast<std::size_t>(*schema.max_length))
            );
        } else if (schema.min_length && length < *schema.min_length) {
            refuse(value, fmt::format("should be at least {} chars long", *schema.min_length));
        } else if (schema.compiled_pattern != nullptr &&
                   !schema.compiled_pattern->is_found_in(text)) {
            refuse(value, fmt::format("should match '{}'", schema.pattern));
        }
        if (schema.type == Schema::Type::String && !has_format(schema.format, text)) {
            const auto detail =
                in_body(fmt::format("must be of type {}: {}", schema.format, json::print(value)));
            causes_.push_back(api::FieldError::invalid_type(path_, value, detail));
        }
    }

    void check_range(const Schema& schema, const Value& value) {
        constexpr auto kMax = std::numeric_limits<std::int32_t>::max();
        constexpr auto kMin = std::numeric_limits<std::int32_t>::min();
        const double number = value.as_double();
        const auto& format = schema.format;
        bool fits = true;
        if (schema.type == Schema::Type::Integer) {
            fits = value.is_int() || is_whole(value);
            fits = fits && (format != "int32" || (number >= kMin && number <= kMax));
        } else if (schema.type == Schema::Type::Number && format == "float") {
            fits = std::abs(number) <= std::numeric_limits<float>::max();
        }
        if (!fits) {
            const auto of_format = format.empty() ? "(default format)" : "with format " + format;
            refuse_nowhere(fmt::format(
                "Checked value must be of type {} {} in {}",
                type_name(schema.type),
                of_format,
                path_
            ));
        }
    }

    void check_number(const Schema& schema, const Value& value) {
        if (!value.is_number()) {
            return;
        }
        check_range(schema, value);
        const double number = value.as_double();
        if (schema.multiple_of && *schema.multiple_of > 0) {
            const double quotient = number / *schema.multiple_of;
            if (std::trunc(quotient) != quotient) {
                refuse(value, "should be a multiple of " + printed_number(*schema.multiple_of));
            }
        }
        if (schema.maximum &&
            (schema.exclusive_maximum ? number >= *schema.maximum : number > *schema.maximum)) {
            const auto* words = schema.exclusive_maximum ? "should be less than "
                                                         : "should be less than or equal to ";
            refuse(value, words + printed_number(*schema.maximum));
        }
        if (schema.minimum &&
            (schema.exclusive_minimum ? number <= *schema.minimum : number < *schema.minimum)) {
            const auto* words = schema.exclusive_minimum ? "should be greater than "
                                                         : "should be greater than or equal to ";
            refuse(value, words + printed_number(*schema.minimum));
        }
    }

    void check_items(const Schema& schema, const json::Array& items, const Value* old, int depth) {
        if (schema.items != nullptr) {
            const OldItems old_items(schema, old);
            for (std::size_t i = 0; i < items.size(); ++i) {
                const auto length = path_.size();
                path_ += fmt::format("[{}]", i);
                check(*schema.items, items[i], old_items.find(items[i]), depth + 1);
                path_.resize(length);
            }
        }
        const auto count = static_cast<std::int64_t>(items.size());
        if (schema.min_items && count < *schema.min_items) {
            refuse(count, fmt::format("should have at least {} items", *schema.min_items));
        }
        if (schema.max_items && count > *schema.max_items) {
            const auto most = static_cast<std::size_t>(*schema.max_items);
            causes_.push_back(api::FieldError::too_many(path_, items.size(), most));
        }
    }

    void check_enumeration(const Schema& schema, const Value& value) {
        if (schema.enumeration.empty()) {
            return;
        }
        std::vector<std::string> supported;
        for (const auto& allowed : schema.enumeration) {
            if (!value.is_null() && allowed == value) {
                return;
            }
            supported.push_back(allowed.is_string() ? allowed.as_string() : json::print(allowed));
        }
        causes_.push_back(api::FieldError::not_supported(path_, value, supported));
    }

    void check_members(const Schema& schema, const Value& value, const Value* old, int depth) {
        const auto count = static_cast<std::int64_t>(value.as_object().size());
        if (schema.min_properties && count < *schema.min_properties) {
            refuse(
                count, fmt::format("should have at least {} properties", *schema.min_properties)
            );
            return;
        }
        if (schema.max_properties && count > *schema.max_properties) {
            const auto most = static_cast<std::size_t>(*schema.max_properties);
            causes_.push_back(api::FieldError::too_many(path_, value.as_object().size(), most));
            return;
        }
        for (const auto& [name, member] : value.as_object()) {
            if (const Schema* of_member = schema.member(name)) {
                const auto length = path_.size();
                path_ += path_.empty() ? "" : ".";
                path_ += name;
                check(*of_member, member, old == nullptr ? nullptr : old->find(name), depth + 1);
                path_.resize(length);
            } else if (schema.forbids_other_members) {
                causes_.push_back(api::FieldError::invalid(
                    path_, name, fmt::format("{}.{} in body is a forbidden property", path_, name)
                ));
            }
        }
        for (const auto& name : schema.required) {
            if (value.find(name) == nullptr) {
                causes_.push_back(
                    api::FieldError::required(path_.empty() ? name : path_ + "." + name)
                );
            }
        }
    }

    std::string path_;
    std::vector<Cause> causes_;
};

}  // namespace

std::vector<Cause> validate(const Schema& schema, const Value& object, const Value* old_object) {
    Validator validator;
    validator.check(schema, object, old_object, 0);
    auto causes = validator.take();
    add_list_faults(schema, object, old_object, causes);
    add_embedded_faults(schema, object, causes);
    return causes;
}

}  // namespace sluice::apiserver
