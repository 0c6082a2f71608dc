#pragma once

#include "base/error.hpp"
#include "job_kinds/path.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace sluice::job_kinds {

/// A count that an object says: the number at a path, or the least of several.
struct Number {
    std::optional<Path> path;
    std::vector<Number> least_of;           ///< instead of the path: those that are there count
    std::optional<std::int32_t> otherwise;  ///< where nothing is there
    std::int32_t at_least = 0;

    /// None: nothing is there. Errors: Invalid with the place of what is no whole number from 0 to
    /// 2147483647.
    Result<std::optional<std::int32_t>> evaluate(const json::Value& root) const;

    friend bool operator==(const Number&, const Number&) = default;
};

/// The sum of the numbers at the paths; what is no number counts nothing.
std::int64_t sum(const std::vector<Path>& paths, const json::Value& root);

}  // namespace sluice::job_kinds
