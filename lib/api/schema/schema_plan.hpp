#pragma once

#include "json/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sluice::api {

/// A schema laid out for the walk over an object: what would have to be looked up in the schema's
/// own tree at every value is looked up once. Texts are those of the tree it was made from, which
/// must outlive it.
struct SchemaPlan {
    enum class Type : std::uint8_t { Object, List, String, Integer, Boolean, Number, Other };
    enum class ListType : std::uint8_t { Atomic, Set, Map };
    struct Rule {
        bool (*holds)(const json::Value& self);
        std::string_view message;
    };

    Type type = Type::Other;
    std::string_view type_name;
    bool is_int_or_string = false;
    bool is_time = false;
    bool is_int32 = false;
    /// Of the value, or of the number of its characters, items or entries.
    std::optional<std::int64_t> min;
    std::optional<std::int64_t> max;
    std::string_view pattern;
    bool (*matches)(std::string_view text) = nullptr;  ///< the pattern; null where there is none
    std::vector<std::string_view> values;              ///< allowed; empty: all
    std::vector<Rule> rules;

    // Of an object.
    bool has_properties = false;
    std::unordered_map<std::string_view, std::unique_ptr<const SchemaPlan>> properties;
    std::vector<std::string_view> required;
    std::vector<std::pair<std::string_view, const json::Value*>> defaults;  ///< of properties
    bool has_others = false;                   ///< whether additionalProperties is said at all
    std::unique_ptr<const SchemaPlan> others;  ///< their schema, where one is given

    // Of a list.
    std::unique_ptr<const SchemaPlan> items;
    ListType list_type = ListType::Atomic;
    std::vector<std::string_view> list_keys;

    /// The property of that name, or nullptr.
    const SchemaPlan* find(std::string_view name) const {
        const auto found = properties.find(name);
        return found == properties.end() ? nullptr : found->second.get();
    }
};

/// The plan of a kind in `v1beta1` or `v1beta2`, made once; nullptr for a kind or version without
/// schema.
const SchemaPlan* find_schema_plan(std::string_view kind, std::string_view version);

}  // namespace sluice::api
