// Reads counts from an object.
#pragma once

#include "base/error.hpp"
#include "job_kinds/path.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace sluice::job_kinds {

/// A count in an object: the number at a path, or the smallest of several numbers.
struct Number {
    std::optional<Path> path;
    /// Used if `path` is not set; numbers that are absent are ignored.
    std::vector<Number> least_of;
    std::optional<std::int32_t> otherwise;  ///< used if the object has no number
    /// Lower bound of the result.
    std::int32_t at_least = 0;

    /// Returns nullopt if the object has no number and `otherwise` is not set. Errors: Invalid with
    /// the place of a value that is not a whole number from 0 to 2147483647.
    Result<std::optional<std::int32_t>> evaluate(const json::Value& root) const;

    friend bool operator==(const Number&, const Number&) = default;
};

/// Returns the sum of the numbers at the paths; other values are ignored.
std::int64_t sum(const std::vector<Path>& paths, const json::Value& root);

}  // namespace sluice::job_kinds
