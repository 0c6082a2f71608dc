// Estimates the cost of a call and the size of its result, before any value is known.
#pragma once

#include "cel/evaluation/cost_estimate.hpp"
#include "cel/syntax/expression.hpp"
#include "cel/values/type.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace sluice::cel {

/// The estimate of a cost or size without a known bound.
inline constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

/// Returns a size times a factor, rounded up.
std::uint64_t scale_cost(std::uint64_t size, double factor);

/// The smallest and largest possible size of a value, in characters, bytes, items or entries.
struct Size {
    std::uint64_t min = 0;
    std::uint64_t max = kMost;

    /// Returns the range that covers both sizes.
    Size with(const Size& other) const {
        return {std::min(min, other.min), std::max(max, other.max)};
    }
    Size plus(const Size& other) const {
        return {add_costs(min, other.min), add_costs(max, other.max)};
    }
    Size times(const Size& other) const {
        return {multiply_costs(min, other.min), multiply_costs(max, other.max)};
    }
};

inline Size exactly(std::uint64_t size) {
    return {size, size};
}

/// The sizes of the keys and values of a map, or of the items of a list.
struct EntrySizes {
    bool is_list = false;
    Size key;
    Size value;
};

/// The schema type at the end of a path from a variable.
struct Place {
    bool is_known = false;
    const Type* type = nullptr;  ///< nullptr if the path is not in the schema
};

/// The estimate of a part: its cost, and the size of its value.
struct Estimate {
    std::uint64_t cost = 0;
    Place place;
    std::optional<Size> size;
    std::optional<EntrySizes> entries;
    TypePtr type;
    const Expression* expression = nullptr;

    Size size_or_any() const { return size.value_or(Size{}); }
};

/// A call, without the cost of its arguments.
struct Call {
    const Expression& expression;
    const Estimate* target = nullptr;
    std::vector<Estimate> arguments;

    /// The target of a member function, else the first argument.
    const Estimate& subject() const { return target != nullptr ? *target : arguments[0]; }
    std::size_t count() const { return arguments.size(); }
};

struct CallEstimate {
    std::uint64_t cost = 1;
    std::optional<Size> size;
};

/// Returns the cost of reading a text.
std::uint64_t scan_cost(const Estimate& value);

/// Estimates ==, != and the comparison of texts by the size of the shorter one.
CallEstimate estimate_shorter(const Call& call);

/// Estimates the cost of a function call and the size of its result by the function's name, for all
/// overloads.
CallEstimate estimate_function(std::string_view function, const Call& call);

}  // namespace sluice::cel
