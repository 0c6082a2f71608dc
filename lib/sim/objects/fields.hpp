#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

/// Fields of objects that are known only as JSON; what is missing or of another type is as absent.
namespace sluice::sim {

using FieldPath = std::initializer_list<std::string_view>;

std::optional<std::int64_t> find_int(const json::Value& object, FieldPath path);
/// The text, or "".
std::string_view text_at(const json::Value& object, FieldPath path);
bool is_true_at(const json::Value& object, FieldPath path);
std::optional<Time> find_time(const json::Value& object, FieldPath path);
/// The elements of a list, none where there is no list. Lifetime: that of the object.
const json::Array& list_at(const json::Value& object, FieldPath path);
/// The object at a path; what is missing on the way becomes an object.
json::Value& make_object_at(json::Value& object, FieldPath path);

/// The element of a list of objects with that text in the member, or nullptr.
const json::Value* find_element(
    const json::Array& list, std::string_view member, std::string_view text
);
/// The number from 0 on that an annotation says.
std::optional<std::int64_t> annotated_number(
    const json::Value& object, std::string_view annotation
);
/// Whether the condition of that type in `status.conditions` is True.
bool has_condition(const json::Value& object, std::string_view type);

}  // namespace sluice::sim
