#include "api/schema/schema_validation.hpp"

#include "api/meta/micro_time.hpp"
#include "api/meta/names.hpp"
#include "api/schema/schema_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

namespace sluice::api {
namespace {

using json::Value;
using Type = SchemaPlan::Type;

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

/// The way to a value, a chain on the stack: it becomes a text only where something is wrong.
class Path {
  public:
    Path() = default;
    static Path field(const Path& parent, std::string_view name) {
        return {Part::Field, parent, name, 0};
    }
    static Path entry(const Path& parent, std::string_view key) {
        return {Part::Entry, parent, key, 0};
    }
    static Path item(const Path& parent, std::size_t index) {
        return {Part::Item, parent, {}, index};
    }

    std::string text() const {
        std::string out;
        append_to(out);
        return out;
    }

  private:
    enum class Part : std::uint8_t { Root, Field, Entry, Item };

    Path(Part part, const Path& parent, std::string_view name, std::size_t index)
        : part_(part), parent_(&parent), name_(name), index_(index) {}

    void append_to(std::string& out) const {
        if (part_ == Part::Root) {
            return;
        }
        parent_->append_to(out);
        if (part_ == Part::Field) {
            out += out.empty() ? "" : ".";
            out += name_;
        } else if (part_ == Part::Entry) {
            out += fmt::format("[{}]", name_);
        } else {
            out += fmt::format("[{}]", index_);
        }
    }

    Part part_ = Part::Root;
    const Path* parent_ = nullptr;
    std::string_view name_;
    std::size_t index_ = 0;
};

class Validator {
  public:
    /// `unknown`: gets the fields that the schema does not know; nullptr: they are not looked for.
    explicit Validator(std::vector<std::string>* unknown) : unknown_(unknown) {}

    void check(const SchemaPlan& schema, const Value& value, const Path& path) {
        const std::size_t before = violations_.size();
        if (schema.is_int_or_string) {
            check_int_or_string(schema, value, path);
        } else {
            check_type(schema, value, path);
        }
        if (violations_.size() != before) {
            return;
        }
        for (const auto& rule : schema.rules) {
            if (!rule.holds(value)) {
                add(path, std::string(rule.message));
            }
        }
    }
    void add(const Path& path, std::string message) {
        violations_.push_back({path.text(), std::move(message)});
    }
    std::vector<FieldViolation> take() { return std::move(violations_); }

  private:
    void check_int_or_string(const SchemaPlan& schema, const Value& value, const Path& path) {
        if (value.is_string()) {
            check_pattern(schema, value.as_string(), path);
        } else if (!value.is_int()) {
            add(path, fmt::format("must be an integer or a string, not {}", type_name(value)));
        }
    }

    void check_type(const SchemaPlan& schema, const Value& value, const Path& path) {
        if (schema.type == Type::Object && value.is_object()) {
            check_object(schema, value, path);
        } else if (schema.type == Type::List && value.is_array()) {
            check_list(schema, value, path);
        } else if (schema.type == Type::String && value.is_string()) {
            check_string(schema, value.as_string(), path);
        } else if (schema.type == Type::Integer && is_whole(value)) {
            check_integer(schema, value, path);
        } else if (!(schema.type == Type::Boolean && value.is_bool()) &&
                   !(schema.type == Type::Number && value.is_number())) {
            const bool vowel = schema.type == Type::Object || schema.type == Type::Integer;
            const auto name = schema.type == Type::List ? "list" : schema.type_name;
            add(path,
                fmt::format("must be {} {}, not {}", vowel ? "an" : "a", name, type_name(value)));
        }
    }

    static bool is_whole(const Value& value) {
        return value.is_int() ||
               (value.is_double() && value.as_double() == std::trunc(value.as_double()));
    }

    void check_object(const SchemaPlan& schema, const Value& value, const Path& path) {
        for (const auto name : schema.required) {
            if (value.find(name) == nullptr) {
                add(Path::field(path, name), "Required value");
            }
        }
        for (const auto& [key, member] : value.as_object()) {
            if (const SchemaPlan* known = schema.find(key)) {
                check(*known, member, Path::field(path, key));
            } else if (schema.others != nullptr) {
                check(*schema.others, member, Path::entry(path, key));
            } else if (unknown_ != nullptr && schema.has_properties && !schema.has_others) {
                unknown_->push_back(Path::field(path, key).text());
            }
        }
        const auto count = static_cast<std::int64_t>(value.as_object().size());
        check_bounds(schema, count, " entries", path);
    }

    void check_list(const SchemaPlan& schema, const Value& value, const Path& path) {
        const auto& items = value.as_array();
        check_bounds(schema, static_cast<std::int64_t>(items.size()), " items", path);
        const bool is_unique = schema.list_type != SchemaPlan::ListType::Atomic && items.size() > 1;
        std::set<std::string> seen;
        for (std::size_t i = 0; i < items.size(); ++i) {
            const Path item_path = Path::item(path, i);
            if (schema.items != nullptr) {
                check(*schema.items, items[i], item_path);
            }
            if (is_unique && !seen.insert(identity(schema, items[i])).second) {
                add(item_path, "Duplicate value");
            }
        }
    }

    /// What makes an item of a list of type set or map different from the others.
    static std::string identity(const SchemaPlan& schema, const Value& item) {
        if (schema.list_type == SchemaPlan::ListType::Set) {
            return json::print_sorted(item);
        }
        std::string text;
        for (const auto key : schema.list_keys) {
            const Value* part = item.find(key);
            text += (part != nullptr ? json::print(*part) : "-") + "\n";
        }
        return text;
    }

    void check_string(const SchemaPlan& schema, const std::string& text, const Path& path) {
        if (schema.min || schema.max) {
            check_bounds(schema, count_characters(text), " characters", path);
        }
        check_pattern(schema, text, path);
        if (schema.is_time) {
            if (const auto time = parse_time(text); !time) {
                add(path, time.error().detail);
            }
        }
        if (schema.values.empty() ||
            std::ranges::find(schema.values, text) != schema.values.end()) {
            return;
        }
        const auto listed = fmt::format("\"{}\"", fmt::join(schema.values, "\", \""));
        add(path, fmt::format("Unsupported value: \"{}\": supported values: {}", text, listed));
    }

    void check_pattern(const SchemaPlan& schema, const std::string& text, const Path& path) {
        if (schema.matches != nullptr && !schema.matches(text)) {
            add(path, fmt::format("\"{}\" must match '{}'", text.substr(0, 64), schema.pattern));
        }
    }

    void check_integer(const SchemaPlan& schema, const Value& value, const Path& path) {
        constexpr double kInt64 = 9.2e18;
        const bool is_huge = value.is_double() && std::abs(value.as_double()) > kInt64;
        const auto number = value.is_int() ? value.as_int()
                            : is_huge      ? std::int64_t{0}
                                           : static_cast<std::int64_t>(value.as_double());
        if (is_huge || (schema.is_int32 && (number > std::numeric_limits<std::int32_t>::max() ||
                                            number < std::numeric_limits<std::int32_t>::min()))) {
            add(path, fmt::format("does not fit into {} bits", schema.is_int32 ? 32 : 64));
            return;
        }
        check_bounds(schema, number, "", path);
    }

    void check_bounds(
        const SchemaPlan& schema, std::int64_t number, std::string_view unit, const Path& path
    ) {
        const std::string_view have = unit.empty() ? "be" : "have";
        if (schema.min && number < *schema.min) {
            add(path,
                fmt::format("must {} at least {}{}, not {}", have, *schema.min, unit, number));
        }
        if (schema.max && number > *schema.max) {
            add(path, fmt::format("must {} at most {}{}, not {}", have, *schema.max, unit, number));
        }
    }

    std::vector<FieldViolation> violations_;
    std::vector<std::string>* unknown_;
};

void fill_in(const SchemaPlan& schema, Value& value) {
    if (value.is_array()) {
        if (schema.items != nullptr) {
            for (Value& item : value.as_array()) {
                fill_in(*schema.items, item);
            }
        }
        return;
    }
    if (!value.is_object()) {
        return;
    }
    if (schema.has_properties || schema.has_others) {
        std::erase_if(value.as_object(), [&](const json::Member& member) {
            return member.second.is_null() &&
                   (schema.has_others || schema.find(member.first) != nullptr);
        });
    }
    for (const auto& [name, fallback] : schema.defaults) {
        if (value.find(name) == nullptr) {
            value.set(name, *fallback);
        }
    }
    for (auto& [key, member] : value.as_object()) {
        if (!member.is_object() && !member.is_array()) {
            continue;
        }
        const SchemaPlan* known = schema.find(key);
        if (known == nullptr) {
            known = schema.others.get();
        }
        if (known != nullptr) {
            fill_in(*known, member);
        }
    }
}

}  // namespace

Result<void> apply_defaults(std::string_view kind, std::string_view version, Value& object) {
    const SchemaPlan* schema = find_schema_plan(kind, version);
    if (schema == nullptr) {
        return make_invalid(fmt::format("there is no schema of {} in {}", kind, version));
    }
    fill_in(*schema, object);
    return {};
}

std::vector<FieldViolation> find_schema_violations(
    std::string_view kind,
    std::string_view version,
    const Value& object,
    std::vector<std::string>* unknown_fields
) {
    const SchemaPlan* schema = find_schema_plan(kind, version);
    if (schema == nullptr) {
        return {};
    }
    Validator validator(unknown_fields);
    validator.check(*schema, object, Path());
    if (const Value* name = object.find_path({"metadata", "name"});
        name != nullptr && name->is_string()) {
        if (const auto problem = check_dns1123_subdomain(name->as_string())) {
            const Path root;
            const Path metadata = Path::field(root, "metadata");
            validator.add(Path::field(metadata, "name"), *problem);
        }
    }
    return validator.take();
}

std::vector<std::string> find_unknown_fields(
    std::string_view kind, std::string_view version, const Value& object
) {
    std::vector<std::string> unknown;
    find_schema_violations(kind, version, object, &unknown);
    return unknown;
}

Result<void> validate_schema(
    std::string_view kind,
    std::string_view version,
    const Value& object,
    std::vector<std::string>* unknown_fields
) {
    std::string detail;
    for (const auto& violation : find_schema_violations(kind, version, object, unknown_fields)) {
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
