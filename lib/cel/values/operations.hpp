#pragma once

#include "cel/values/value.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::cel {

/// CEL's ==: a boolean or a failure. Numbers are compared across their types, lists of a document
/// as their list type says.
Value equals(const Value& a, const Value& b);

/// Less (-1), equal (0) or greater (1) for numbers, strings, bytes, booleans, times; else a
/// failure.
struct Order {
    int sign = 0;
    std::optional<Value> failure;
};
Order compare(const Value& a, const Value& b);

/// CEL's `in`: whether a list has the item, or a map the key.
Value contains(const Value& collection, const Value& item);

/// The item at an index, or the value of a key; a failure when there is none.
Value at_index(const Value& collection, const Value& index);
/// The same as an optional.
Value at_optional_index(const Value& collection, const Value& index);

/// The operators + - * / % and the unary minus.
Value add(const Value& a, const Value& b);
Value subtract(const Value& a, const Value& b);
Value multiply(const Value& a, const Value& b);
Value divide(const Value& a, const Value& b);
Value modulo(const Value& a, const Value& b);
Value negate(const Value& a);

/// The number of characters, bytes, items or entries; none for other values.
std::optional<std::int64_t> size_of(const Value& value);
/// What stands for the size in costs: 1 for what has none.
std::uint64_t cost_size(const Value& value);

/// Whether an optional made of it with ofNonZeroValue is empty.
bool is_zero_value(const Value& value);

/// A scalar as error messages show it.
std::string show(const Value& value);

/// The most items that a list made by an expression may have, and the most bytes of a string.
inline constexpr std::size_t kMaxItems = 1'000'000;
inline constexpr std::size_t kMaxBytes = std::size_t{16} * 1024 * 1024;

}  // namespace sluice::cel
