#pragma once

#include "job_kinds/path.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::job_kinds {

/// A question that an object answers with yes or no.
struct Predicate {
    enum class Kind : std::uint8_t {
        Value,      ///< a value at the path is (or none is) one of a list; or any is there
        Condition,  ///< the condition of that type has that status
        Sum,        ///< the sum of numbers compared with another
        Count,      ///< how many values at the path are one of a list, compared with a sum
        All,
        Any,
        Not,
    };
    enum class Comparison : std::uint8_t { Equals, AtLeast, Above };

    Kind kind = Kind::Any;
    std::vector<Path> paths;          ///< Value, Count: one; Sum: those that are added
    std::vector<json::Value> values;  ///< Value, Count: any of these; empty: whatever is there
    std::string condition;            ///< Condition: its type
    std::string status = "True";      ///< Condition
    Comparison comparison = Comparison::Equals;  ///< Sum, Count
    std::vector<Path> other_paths;               ///< Sum, Count: the sum that is compared with,
    std::int64_t other = 0;                      ///< or, without paths, this number
    std::vector<Predicate> parts;                ///< All, Any, Not (of which there is one)
    std::string message;  ///< what a person is told when it is true; "": nothing

    bool holds(const json::Value& object) const;

    friend bool operator==(const Predicate&, const Predicate&) = default;
};

/// A condition of the object as its status lists it, or nullptr.
const json::Value* find_condition(const json::Value& object, std::string_view type);

/// The place in status.conditions of the first condition that makes the predicate true, where it
/// is one or several conditions of which any will do; none: it is something else, or not true.
std::optional<std::size_t> first_true_condition(const Predicate& any, const json::Value& object);

}  // namespace sluice::job_kinds
