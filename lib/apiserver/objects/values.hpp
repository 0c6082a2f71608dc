#pragma once

#include "json/value.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// What walks through objects goes no deeper. Bodies are not read that are nested more than 128
/// deep.
inline constexpr int kObjectDepthMax = 256;

/// The number of characters of a UTF-8 text; a byte that begins none counts as one.
std::int64_t count_characters(std::string_view text);

/// The members of an object, or none.
const json::Object& members_of(const json::Value* value);
/// The items of a list, or none.
const json::Array& items_of(const json::Value* value);
/// The texts in a list, without what is none.
std::vector<std::string> texts_of(const json::Value* value);
/// The members of an object in the order of their names.
std::vector<const json::Member*> sorted_members(const json::Value* value);
/// The text at a path; "" where there is none.
std::string_view text_at(const json::Value& value, std::initializer_list<std::string_view> path);
/// The integer member of that name, or `otherwise`.
std::int64_t int_at(const json::Value& value, std::string_view name, std::int64_t otherwise);
/// Whether the member of that name is true.
bool is_true(const json::Value& value, std::string_view name);
/// The object member of that name, made where it is missing or no object.
json::Value& object_at(json::Value& value, std::string_view name);
/// Sets a member that is missing or null.
void set_default(json::Value& value, std::string_view name, json::Value content);

/// Whether it is none, null, or a list or map without content.
bool is_empty_container(const json::Value* value);

}  // namespace sluice::apiserver
