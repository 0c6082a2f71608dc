#pragma once

#include "cel/values/regex.hpp"
#include "cel/values/type.hpp"
#include "cel/values/value.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sluice::cel {

/// What a call of a function is made of; none of the values is a failure.
struct Arguments {
    std::span<const Value> values;
    RegexCache& regexes;

    const Value& operator[](std::size_t index) const { return values[index]; }
    std::size_t size() const { return values.size(); }
};
using Implementation = Value (*)(const Arguments& arguments);

/// What a call costs at run time, and so what its estimate grows with.
enum class CostRule : std::uint8_t {
    Unit,
    Scan,          ///< the first argument is read once
    StandardScan,  ///< the same, when the types decide the overload
    ScanTwice,     ///< read, and written again
    ResultTwice,   ///< the result is read and written
    Regex,         ///< text times pattern
    StandardRegex,
    Contains,  ///< text times part
    Shorter,   ///< the shorter of two
    StandardShorter,
    Concatenation,
    Items,        ///< the number of items of the second argument
    Traversal,    ///< everything in the first argument
    ResultItems,  ///< the number of items of the result
    Product,      ///< the product of the sizes
    Square,       ///< of the number of items
};

/// Who tells a call that fits no signature.
enum class Guard : std::uint8_t {
    Signature,  ///< the values must be of the types; the failure names function and types
    Own,        ///< the implementation looks at its values itself
};

/// A signature of a function and what it does.
struct Overload {
    std::string_view function;
    std::string_view id;
    bool is_member = false;
    std::vector<TypePtr> parameters;  ///< the target of a member first
    TypePtr result;
    Implementation implementation = nullptr;
    CostRule cost = CostRule::Unit;
    Guard guard = Guard::Own;
};

/// A row of the tables of functions. The signature is `(int, int) bool` or `string.(int) bool`.
struct FunctionRow {
    std::string_view function;
    std::string_view id;
    std::string_view signature;
    Implementation implementation;
    CostRule cost = CostRule::Unit;
    Guard guard = Guard::Own;
};

/// The signatures of a function, in their order; empty when there is no such function.
std::span<const Overload> find_overloads(std::string_view function);

/// The tables.
std::span<const FunctionRow> operator_rows();
std::span<const FunctionRow> comparison_rows();
std::span<const FunctionRow> conversion_rows();
std::span<const FunctionRow> string_rows();
std::span<const FunctionRow> list_rows();
std::span<const FunctionRow> time_rows();
std::span<const FunctionRow> optional_rows();

}  // namespace sluice::cel
