#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::apiserver {

/// Names with values, sorted by name.
using SortedPairs = std::vector<std::pair<std::string, std::string>>;
/// The value of that name, or nullptr.
const std::string* find_pair(const SortedPairs& pairs, std::string_view name);

/// One requirement of a label selector.
struct LabelRequirement {
    enum class Operator : std::uint8_t { In, NotIn, Exists, DoesNotExist, GreaterThan, LessThan };
    std::string key;
    Operator op = Operator::Exists;
    std::vector<std::string> values;
};

/// A label selector as the query parameter labelSelector has it.
class LabelSelector {
  public:
    /// Errors: Invalid in the words of the API server.
    static Result<LabelSelector> parse(std::string_view text);
    bool matches(const SortedPairs& labels) const;
    bool empty() const { return requirements_.empty(); }

  private:
    std::vector<LabelRequirement> requirements_;
};

/// A field selector as the query parameter fieldSelector has it.
class FieldSelector {
  public:
    struct Requirement {
        std::string field;
        std::string value;
        bool is_equal = true;
    };
    /// Errors: Invalid in the words of the API server.
    static Result<FieldSelector> parse(std::string_view text);
    bool matches(const SortedPairs& fields) const;
    bool empty() const { return requirements_.empty(); }
    const std::vector<Requirement>& requirements() const { return requirements_; }

  private:
    std::vector<Requirement> requirements_;
};

}  // namespace sluice::apiserver
