// The part of a structural schema that CEL expressions use; escaped names of fields.
#pragma once

#include "base/error.hpp"
#include "cel/values/type.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cel {

/// The size of the largest request, as the API server assumes it, in bytes.
inline constexpr std::int64_t kMaxRequest = std::int64_t{3} * 1024 * 1024;

/// A rule of x-kubernetes-validations as written.
struct SchemaRule {
    std::string rule;
    std::string message;
    std::string message_expression;
    std::optional<std::string> reason;
    std::string field_path;
    std::optional<bool> optional_old_self;
};

/// The part of a structural schema (openAPIV3Schema) that expressions use, at one place.
struct Schema {
    enum class ListType : std::uint8_t { Atomic, Set, Map };

    std::string type;  ///< object, array, string, …; empty if not set
    std::string format;
    bool is_nullable = false;
    bool is_int_or_string = false;
    bool preserves_unknown = false;
    bool is_embedded = false;
    bool has_default = false;
    bool has_properties = false;
    ListType list_type = ListType::Atomic;
    std::vector<std::string> list_keys;
    std::vector<std::string> required;
    std::vector<std::string> enum_strings;
    bool has_enum = false;
    std::optional<std::int64_t> max_length;
    std::optional<std::int64_t> max_items;
    std::optional<std::int64_t> max_properties;
    std::map<std::string, std::unique_ptr<Schema>, std::less<>> properties;
    std::unique_ptr<Schema> items;
    std::unique_ptr<Schema> additional;
    std::vector<SchemaRule> rules;
    /// Paths below allOf, anyOf, oneOf and not that have rules: `.allOf[0].properties[a]`.
    std::vector<std::string> misplaced_rules;
    /// The type of the values; nullptr if expressions cannot use them.
    TypePtr declared;
    /// The prefix of the names of object types in this schema.
    std::string scope;

    /// Returns the schema of a property; nullptr if the property is not declared.
    const Schema* find(std::string_view name) const;
};

/// Reads a structural schema. `is_root`: it is the schema of a whole resource, in which expressions
/// can always use apiVersion, kind, metadata.name and metadata.generateName. Errors: Invalid if it
/// is nested too deeply or is not an object.
Result<std::unique_ptr<Schema>> read_schema(const json::Value& open_api_v3_schema, bool is_root);

/// Returns the name of a property in expressions: dots, dashes, slashes, double underscores and
/// reserved words are escaped. nullopt if the property cannot be named in expressions.
std::optional<std::string> escape_name(std::string_view name);
/// Reverses escape_name(). nullopt if the name contains an escape that escape_name() never makes.
std::optional<std::string> unescape_name(std::string_view name);

}  // namespace sluice::cel
