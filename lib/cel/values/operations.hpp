// The operators of CEL on values: comparison, arithmetic, lookup and size.
#pragma once

#include "cel/values/value.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::cel {

/// Compares as CEL's == does; returns a boolean or a failure. Numbers of different types are
/// compared by value, lists of a document as their list type defines.
Value equals(const Value& a, const Value& b);

/// The result of a comparison: less (-1), equal (0) or greater (1) for numbers, strings, bytes,
/// booleans and times; else a failure.
struct Order {
    int sign = 0;
    std::optional<Value> failure;
};
Order compare(const Value& a, const Value& b);

/// Evaluates CEL's `in`: true if a list has the item, or a map the key.
Value contains(const Value& collection, const Value& item);

/// Returns the item at an index, or the value of a key; a failure if it does not exist.
Value at_index(const Value& collection, const Value& index);
/// Returns the item or value as an optional, which is empty if it does not exist.
Value at_optional_index(const Value& collection, const Value& index);

/// The operators + - * / % and unary minus.
Value add(const Value& a, const Value& b);
Value subtract(const Value& a, const Value& b);
Value multiply(const Value& a, const Value& b);
Value divide(const Value& a, const Value& b);
Value modulo(const Value& a, const Value& b);
Value negate(const Value& a);

/// Returns the number of characters, bytes, items or entries; nullopt for other values.
std::optional<std::int64_t> size_of(const Value& value);
/// Returns the size of a value for costs: 1 if it has no size.
std::uint64_t cost_size(const Value& value);

/// Returns true if ofNonZeroValue would make an empty optional of the value.
bool is_zero_value(const Value& value);

/// Prints a scalar for error messages.
std::string show(const Value& value);

/// Limits of a list that an expression makes, in items, and of a string, in bytes.
inline constexpr std::size_t kMaxItems = 1'000'000;
inline constexpr std::size_t kMaxBytes = std::size_t{16} * 1024 * 1024;

}  // namespace sluice::cel
