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

/// What the API server takes for the size of the largest request.
inline constexpr std::int64_t kMaxRequest = std::int64_t{3} * 1024 * 1024;

/// A rule of x-kubernetes-validations as it is written.
struct SchemaRule {
    std::string rule;
    std::string message;
    std::string message_expression;
    std::optional<std::string> reason;
    std::string field_path;
    std::optional<bool> optional_old_self;
};

/// What expressions see of a structural schema (openAPIV3Schema) at one place.
struct Schema {
    enum class ListType : std::uint8_t { Atomic, Set, Map };

    std::string type;  ///< object, array, string, …; empty where the schema names none
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
    /// Where below allOf, anyOf, oneOf and not there are rules: `.allOf[0].properties[a]`.
    std::vector<std::string> misplaced_rules;
    /// The type of its values; nullptr where expressions do not see them.
    TypePtr declared;
    /// What the names of the objects in it begin with.
    std::string scope;

    const Schema* find(std::string_view name) const;
};

/// Reads a structural schema. `is_root`: it is that of a whole resource, whose apiVersion, kind,
/// metadata.name and metadata.generateName expressions always see.
/// Errors: Invalid when it is too deep or no object.
Result<std::unique_ptr<Schema>> read_schema(const json::Value& open_api_v3_schema, bool is_root);

/// The name that expressions use for a property: dots, dashes, slashes, double underscores and
/// reserved words are escaped. None: it has no such name.
std::optional<std::string> escape_name(std::string_view name);
/// The reverse of escape_name; none when there is an escape that it never makes.
std::optional<std::string> unescape_name(std::string_view name);

}  // namespace sluice::cel
