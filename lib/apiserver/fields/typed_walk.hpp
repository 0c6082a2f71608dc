// Compares, merges and prunes whole objects by their schema, for field ownership.
#pragma once

#include "apiserver/fields/field_set.hpp"
#include "apiserver/objects/field_path.hpp"
#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Functions that walk a whole object together with its schema, for field ownership.
namespace sluice::apiserver {

/// How a value merges. Its schema decides; without a schema, maps merge by member, and lists are
/// replaced as a whole.
struct FieldType {
    const Schema* schema = nullptr;  ///< nullptr if no schema describes the value
    bool is_resource = false;  ///< true if apiVersion, kind and metadata are known even if the
                               ///< schema does not declare them

    bool is_atomic_list() const {
        return schema == nullptr || schema->list_type == Schema::ListType::Atomic;
    }
    bool is_atomic_map() const {
        return schema != nullptr && schema->map_type == Schema::MapType::Atomic;
    }
    /// Returns the type of a member; nullopt if the schema does not know the member.
    std::optional<FieldType> member(std::string_view name) const;
    /// Returns the type of the items of a list.
    FieldType item() const;
    /// Returns true if the schema declares the member, false if the member is a key of a map.
    bool names(std::string_view member) const;
};

FieldType root_type(const Schema& schema);

/// Returns the identity of an item of a set or keyed list; nullopt if the item lacks a key.
std::optional<PathElement> item_element(const FieldType& list, const json::Value& item);

/// Returns the fields that a configuration sets.
FieldSet field_set_of(const FieldType& type, const json::Value& value);

/// The differences between two objects.
struct Comparison {
    FieldSet added;
    FieldSet removed;
    FieldSet modified;
};
/// Returns the fields that differ between two values.
Comparison compare(const FieldType& type, const json::Value& before, const json::Value& after);

/// Returns the live value with the fields of the configuration merged into it.
json::Value merge(const FieldType& type, const json::Value& live, const json::Value& config);

/// Returns the value without the fields of a set. A list or map that loses all of its content
/// becomes null.
json::Value remove_items(const FieldType& type, const json::Value& value, const FieldSet& fields);

/// Adds to the set each declared field that is a prefix of a member; keys of maps are not added.
FieldSet with_named_fields(const FieldType& type, const FieldSet& set);

/// Replaces the paths below atomic lists and maps by the list or map itself. The schema may have
/// made these atomic after a manager's entry was written.
FieldSet with_atomic_wholes(const FieldType& type, const FieldSet& set);

/// Returns the faults of an applied configuration by its schema, in the words of the API server;
/// empty if it is allowed.
std::vector<std::string> find_typing_faults(const FieldType& type, const json::Value& config);

}  // namespace sluice::apiserver
