#pragma once

#include "json/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::api {

/// What one cell of a table of fields says of a field's schema. The notation, words in any order:
///
///     1..64  ..253  1..   length of a string, items of a list, entries of a map, value of an
///     integer SUB LBL KEY KND RSN a pattern by name E(a, b)             the values allowed
///     D({"a":1})  the default, as JSON R                   required in its parent    P always
///     printed; says nothing to the schema atomic set map(a,b) list or map type          C6-C10 C35
///     rules, by their numbers […]  {…}            the same for the items of a list, the values of
///     a map
///
/// A field that has no C++ member begins with its type: str, int32, int64, bool, time, qty or obj,
/// which for lists and maps stands in the brackets.
struct SchemaCell {
    std::string type;
    std::optional<std::int64_t> min;
    std::optional<std::int64_t> max;
    std::string pattern;
    std::string list_type;
    std::vector<std::string> list_keys;
    std::vector<std::string> values;
    std::optional<json::Value> default_value;
    bool required = false;
    std::vector<int> rules;
    std::shared_ptr<const SchemaCell> items;
};

/// Reads a cell. Requires: a well-formed cell; the tables are ours.
SchemaCell parse_cell(std::string_view text);

}  // namespace sluice::api
