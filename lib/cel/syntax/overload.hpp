// The functions of expressions: signatures, implementations and cost rules.
#pragma once

#include "cel/values/regex.hpp"
#include "cel/values/type.hpp"
#include "cel/values/value.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sluice::cel {

/// The arguments of a call. None of the values is a failure.
struct Arguments {
    std::span<const Value> values;
    RegexCache& regexes;

    const Value& operator[](std::size_t index) const { return values[index]; }
    std::size_t size() const { return values.size(); }
};
using Implementation = Value (*)(const Arguments& arguments);

/// The rule for the cost of a call at run time, and for its estimate.
enum class CostRule : std::uint8_t {
    Unit,
    Scan,          ///< reads the first argument once
    StandardScan,  ///< like Scan, if the types decide the overload
    ScanTwice,     ///< reads the first argument and writes it again
    ResultTwice,   ///< reads and writes the result
    Regex,         ///< text times pattern
    StandardRegex,
    Contains,  ///< length of the text times length of the part
    Shorter,   ///< the shorter of two
    StandardShorter,
    Concatenation,
    Items,        ///< the number of items of the second argument
    Traversal,    ///< size of the whole first argument
    ResultItems,  ///< the number of items of the result
    Product,      ///< the product of the sizes
    Square,       ///< of the number of items
};

/// The code that refuses a call whose values fit no signature.
enum class Guard : std::uint8_t {
    Signature,  ///< the caller; the failure names the function and the types
    Own,        ///< the implementation checks its values itself
};

/// A signature of a function, with its implementation.
struct Overload {
    std::string_view function;
    std::string_view id;
    bool is_member = false;
    std::vector<TypePtr> parameters;  ///< for a member, the target comes first
    TypePtr result;
    Implementation implementation = nullptr;
    CostRule cost = CostRule::Unit;
    Guard guard = Guard::Own;
};

/// A row of the function tables. `signature` is `(int, int) bool` or `string.(int) bool`.
struct FunctionRow {
    std::string_view function;
    std::string_view id;
    std::string_view signature;
    Implementation implementation;
    CostRule cost = CostRule::Unit;
    Guard guard = Guard::Own;
};

/// Returns the overloads of a function in their order; empty if the function is not known.
std::span<const Overload> find_overloads(std::string_view function);

/// The function tables.
std::span<const FunctionRow> operator_rows();
std::span<const FunctionRow> comparison_rows();
std::span<const FunctionRow> conversion_rows();
std::span<const FunctionRow> string_rows();
std::span<const FunctionRow> list_rows();
std::span<const FunctionRow> time_rows();
std::span<const FunctionRow> optional_rows();

}  // namespace sluice::cel
