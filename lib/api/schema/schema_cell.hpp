// Parses the schema notation of the tables of fields.
#pragma once

#include "json/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::api {

/// The schema constraints of a field, parsed from one cell of its table. The notation, with words
/// in any order:
///
///     1..64  ..253  1..        length of a string, items of a list, entries of a map,
///                              or value of an integer
///     SUB LBL KEY KND RSN QTY  a pattern by its name
///     E(a, b)                  the allowed values
///     D({"a":1})               the default, as JSON
///     R                        required in its parent
///     P                        always printed; does not affect the schema
///     atomic set map(a,b)      list or map type
///     C6-C10 C35               rules, by their numbers
///     […] {…}                  constraints of the items of a list or the values of a map
///
/// The cell of a field that has no C++ member begins with its type: str, int32, int64, bool, time,
/// qty or obj. For lists and maps the type is in the brackets.
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

/// Parses a cell. Requires: the cell is well-formed, as in Sluice's own tables.
SchemaCell parse_cell(std::string_view text);

}  // namespace sluice::api
