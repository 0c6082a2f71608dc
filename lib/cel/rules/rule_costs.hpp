// Sums the estimated costs of a definition's rules and checks the API server's limits.
#pragma once

#include "cel/rules/schema_rules.hpp"
#include "cel/values/schema.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cel {

/// The number of times that a part of a schema may occur in an object; nullopt if it has no bound.
using Occurrences = std::optional<std::uint64_t>;

/// Returns how often the items or values of a list or map may occur, if it occurs that often
/// itself.
Occurrences occurrences_of_items(const Occurrences& list, const Schema& schema);

/// Returns the cost of a rule's expression for a whole object.
std::uint64_t total_cost(std::uint64_t cost, const Occurrences& occurrences, const Schema& schema);

/// Compares the estimated costs of a definition's rules with the limits of the API server.
class RuleCosts {
  public:
    /// Adds an expression. Returns the message of its refusal if the expression alone costs too
    /// much, else nullopt. `name` is `rule` or `messageExpression`.
    std::optional<std::string> add(std::string path, std::string_view name, std::uint64_t cost);
    /// Adds the faults of a definition whose expressions together cost too much.
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
