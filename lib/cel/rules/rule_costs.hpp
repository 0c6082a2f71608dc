#pragma once

#include "cel/rules/schema_rules.hpp"
#include "cel/values/schema.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cel {

/// How often a part of a schema may occur in an object; none: nothing bounds it.
using Occurrences = std::optional<std::uint64_t>;

/// The occurrences of the items, or of the values, of a part that occurs that often.
Occurrences occurrences_of_items(const Occurrences& list, const Schema& schema);

/// The cost of an expression of a rule for a whole object.
std::uint64_t total_cost(std::uint64_t cost, const Occurrences& occurrences, const Schema& schema);

/// The estimated costs of a definition's rules against the limits of the API server.
class RuleCosts {
  public:
    /// Counts an expression. What it is refused with when it costs too much by itself; `name` is
    /// `rule` or `messageExpression`.
    std::optional<std::string> add(std::string path, std::string_view name, std::uint64_t cost);
    /// Adds the faults of a definition whose expressions cost too much together.
    void report_total(std::string_view path, std::vector<RuleViolation>& faults) const;

  private:
    struct Expensive {
        std::string path;
        std::uint64_t cost = 0;
    };

    std::uint64_t total_ = 0;
    std::vector<Expensive> most_expensive_;
};

}  // namespace sluice::cel
