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

/// What is not known to be bounded.
inline constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

/// A size times a factor, rounded up.
std::uint64_t scale_cost(std::uint64_t size, double factor);

/// How many characters, bytes, items or entries a value has at least and at most.
struct Size {
    std::uint64_t min = 0;
    std::uint64_t max = kMost;

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

/// The sizes of what a list or map consists of.
struct EntrySizes {
    bool is_list = false;
    Size key;
    Size value;
};

/// The type in the schema at the end of a path from a variable.
struct Place {
    bool is_known = false;
    const Type* type = nullptr;  ///< nullptr: the path leads out of the schema
};

/// What is known of a part: what it costs, and how large its value may be.
struct Estimate {
    std::uint64_t cost = 0;
    Place place;
    std::optional<Size> size;
    std::optional<EntrySizes> entries;
    TypePtr type;
    const Expression* expression = nullptr;

    Size size_or_any() const { return size.value_or(Size{}); }
};

/// A call without what its arguments cost.
struct Call {
    const Expression& expression;
    const Estimate* target = nullptr;
    std::vector<Estimate> arguments;

    /// The target of a member, else the first argument.
    const Estimate& subject() const { return target != nullptr ? *target : arguments[0]; }
    std::size_t count() const { return arguments.size(); }
};

struct CallEstimate {
    std::uint64_t cost = 1;
    std::optional<Size> size;
};

/// The cost of reading a text.
std::uint64_t scan_cost(const Estimate& value);

/// ==, != and the order of texts: the cost of the shorter one.
CallEstimate estimate_shorter(const Call& call);

/// What a call of a function costs, and how large its result is, whatever the overload.
CallEstimate estimate_function(std::string_view function, const Call& call);

}  // namespace sluice::cel
