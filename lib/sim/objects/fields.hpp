// Reads fields of objects that are known only as JSON.
#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

/// Reads fields of objects that are known only as JSON. A value of the wrong type counts as absent.
namespace sluice::sim {

using FieldPath = std::initializer_list<std::string_view>;

/// Returns the integer at a path; nullopt if it is absent.
std::optional<std::int64_t> find_int(const json::Value& object, FieldPath path);
/// Returns the text; empty if it is absent.
std::string_view text_at(const json::Value& object, FieldPath path);
/// Returns true if the value at a path is `true`.
bool is_true_at(const json::Value& object, FieldPath path);
/// Returns the time at a path; nullopt if it is absent or malformed.
std::optional<Time> find_time(const json::Value& object, FieldPath path);
/// Returns the elements of a list; empty if the list is absent. *Lifetime*: refers to the object.
const json::Array& list_at(const json::Value& object, FieldPath path);
/// Returns the object at a path. Absent objects on the way are created.
json::Value& make_object_at(json::Value& object, FieldPath path);

/// Returns the first element of a list of objects whose member has that text; nullptr if no element
/// has it.
const json::Value* find_element(
    const json::Array& list, std::string_view member, std::string_view text
);
/// Returns the number of an annotation; nullopt if it is absent, malformed or negative.
std::optional<std::int64_t> annotated_number(
    const json::Value& object, std::string_view annotation
);
/// Returns true if the condition of that type in `status.conditions` is True.
bool has_condition(const json::Value& object, std::string_view type);

}  // namespace sluice::sim
