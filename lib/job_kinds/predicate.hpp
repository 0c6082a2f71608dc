// Yes-or-no questions about an object, as descriptions ask them.
#pragma once

#include "job_kinds/path.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::job_kinds {

/// A yes-or-no question about an object.
struct Predicate {
    enum class Kind : std::uint8_t {
        Value,      ///< a value at the path is in the list; or, without a list, there is a value
        Condition,  ///< the condition of that type has that status
        Sum,        ///< compares the sum of numbers with another number
        Count,      ///< compares the number of values at the path that are in the list with a sum
        All,
        Any,
        Not,
    };
    enum class Comparison : std::uint8_t { Equals, AtLeast, Above };

    Kind kind = Kind::Any;
    std::vector<Path> paths;          ///< Value, Count: one path; Sum: paths of the numbers to add
    std::vector<json::Value> values;  ///< Value, Count: the accepted values; empty: any value
    std::string condition;            ///< Condition: its type
    std::string status = "True";      ///< Condition
    Comparison comparison = Comparison::Equals;  ///< Sum, Count
    /// Sum, Count: paths of the numbers to compare with.
    std::vector<Path> other_paths;
    std::int64_t other = 0;        ///< used if `other_paths` is empty
    std::vector<Predicate> parts;  ///< All, Any, Not (exactly one part)
    std::string message;           ///< message for people if the predicate holds; may be empty

    /// Returns true if the object fulfills the predicate.
    bool holds(const json::Value& object) const;

    friend bool operator==(const Predicate&, const Predicate&) = default;
};

/// Returns the condition of that type in the object's status; nullptr if it is absent.
const json::Value* find_condition(const json::Value& object, std::string_view type);

/// Returns the index in status.conditions of the first condition that makes the predicate true.
/// Returns nullopt if the predicate is false, or if it is not a condition or a choice of
/// conditions.
std::optional<std::size_t> first_true_condition(const Predicate& any, const json::Value& object);

}  // namespace sluice::job_kinds
