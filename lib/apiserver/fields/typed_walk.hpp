#pragma once

#include "apiserver/fields/field_set.hpp"
#include "apiserver/objects/field_path.hpp"
#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Walks of whole objects beside their schema, by which ownership of fields is reckoned.
namespace sluice::apiserver {

/// How a value merges: what its schema says, or, where none describes it, what its form says: maps
/// by member, lists as a whole.
struct FieldType {
    const Schema* schema = nullptr;  ///< nullptr: not described
    bool is_resource = false;        ///< apiVersion, kind and metadata are known without the schema

    bool is_atomic_list() const {
        return schema == nullptr || schema->list_type == Schema::ListType::Atomic;
    }
    bool is_atomic_map() const {
        return schema != nullptr && schema->map_type == Schema::MapType::Atomic;
    }
    /// The type of a member; none: the schema does not know it.
    std::optional<FieldType> member(std::string_view name) const;
    FieldType item() const;
    /// Whether the member is one that the schema names, rather than a key of a map.
    bool names(std::string_view member) const;
};

FieldType root_type(const Schema& schema);

/// What identifies an item of a set or keyed list; none: it has not all keys.
std::optional<PathElement> item_element(const FieldType& list, const json::Value& item);

/// The fields that a configuration names.
FieldSet field_set_of(const FieldType& type, const json::Value& value);

struct Comparison {
    FieldSet added;
    FieldSet removed;
    FieldSet modified;
};
/// What differs.
Comparison compare(const FieldType& type, const json::Value& before, const json::Value& after);

/// The live value with the configuration's fields put in.
json::Value merge(const FieldType& type, const json::Value& live, const json::Value& config);

/// The value without the fields of a set. A list or map that loses everything becomes null.
json::Value remove_items(const FieldType& type, const json::Value& value, const FieldSet& fields);

/// The set with each named field on the way to a member made one too, unless it is a map's key.
FieldSet with_named_fields(const FieldType& type, const FieldSet& set);

/// The set with fields that have become parts of an atomic list or map replaced by the whole.
FieldSet with_atomic_wholes(const FieldType& type, const FieldSet& set);

/// What an applied configuration has that its schema does not allow, in the words of the API
/// server; empty: nothing.
std::vector<std::string> find_typing_faults(const FieldType& type, const json::Value& config);

}  // namespace sluice::apiserver
