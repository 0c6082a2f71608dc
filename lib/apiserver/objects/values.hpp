// Access to the parts of a JSON value that tolerates missing and malformed ones.
#pragma once

#include "json/value.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// The depth at which functions that walk through objects stop. Request bodies are refused if they
/// are nested more than 128 levels deep.
inline constexpr int kObjectDepthMax = 256;

/// Counts the characters of a UTF-8 text. A stray byte that does not continue a character counts as
/// one.
std::int64_t count_characters(std::string_view text);

/// Returns the members of an object; empty if `value` is nullptr or not an object.
const json::Object& members_of(const json::Value* value);
/// Returns the items of a list; empty if `value` is nullptr or not a list.
const json::Array& items_of(const json::Value* value);
/// Returns the strings in a list and skips its other items.
std::vector<std::string> texts_of(const json::Value* value);
/// Returns the members of an object, ordered by name.
std::vector<const json::Member*> sorted_members(const json::Value* value);
/// Returns the string at a path; "" if the path does not lead to a string.
std::string_view text_at(const json::Value& value, std::initializer_list<std::string_view> path);
/// Returns the integer member of that name; `otherwise` if it is missing or not an integer.
std::int64_t int_at(const json::Value& value, std::string_view name, std::int64_t otherwise);
/// Returns true if the member of that name is true.
bool is_true(const json::Value& value, std::string_view name);
/// Returns the member of that name. If it is missing or not an object, sets it to an empty object.
json::Value& object_at(json::Value& value, std::string_view name);
/// Sets the member if it is missing or null.
void set_default(json::Value& value, std::string_view name, json::Value content);

/// Returns true if the value is nullptr, null, an empty list or an empty map.
bool is_empty_container(const json::Value* value);

}  // namespace sluice::apiserver
