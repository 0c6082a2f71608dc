#include "cel/rules/rule_costs.hpp"

#include "cel/evaluation/cost_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::cel {
namespace {

constexpr std::uint64_t kExpressionLimit = 10'000'000;
constexpr std::uint64_t kDefinitionLimit = 100'000'000;
constexpr std::size_t kReported = 4;
/// Expressions that cost less than a hundredth of the limit are not reported.
constexpr std::uint64_t kReportedFrom = kDefinitionLimit / 100;

std::string print_excess(std::string_view what, std::uint64_t cost, std::uint64_t limit) {
    constexpr double kUncounted = 100;
    constexpr double kNear = 1.5;
    const double factor = static_cast<double>(cost) / static_cast<double>(limit);
    const std::string shown = factor > kUncounted ? "more than 100x"
                              : factor < kNear    ? fmt::format("{:.6f}x", factor)
                                                  : fmt::format("{:.1f}x", factor);
    return fmt::format(
        "{} exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, "
        "maxProperties, and maxLength where arrays, maps, and strings are declared)",
        what,
        shown
    );
}

}  // namespace

Occurrences occurrences_of_items(const Occurrences& list, const Schema& schema) {
    const auto& max = schema.type == "array" ? schema.max_items : schema.max_properties;
    if (!list || !max) {
        return std::nullopt;
    }
    return multiply_costs(*list, static_cast<std::uint64_t>(*max));
}

std::uint64_t total_cost(std::uint64_t cost, const Occurrences& occurrences, const Schema& schema) {
    // Without a bound: as many of the shortest values as fit into the largest request.
    const auto fitting = kMaxRequest / (schema.declared->min_size + 1);
    return multiply_costs(cost, occurrences.value_or(static_cast<std::uint64_t>(fitting)));
}

std::optional<std::string> RuleCosts::add(
    std::string path, std::string_view name, std::uint64_t cost
) {
    total_ = add_costs(total_, cost);
    if (cost >= kReportedFrom) {
        most_expensive_.push_back({std::move(path), cost});
        std::ranges::stable_sort(most_expensive_, std::greater(), &Expensive::cost);
        most_expensive_.resize(std::min(most_expensive_.size(), kReported));
    }
    if (cost <= kExpressionLimit) {
        return std::nullopt;
    }
    return print_excess(fmt::format("estimated {} cost", name), cost, kExpressionLimit);
}

void RuleCosts::report_total(std::string_view path, std::vector<RuleViolation>& faults) const {
    if (total_ <= kDefinitionLimit) {
        return;
    }
    for (const Expensive& each : most_expensive_) {
        faults.push_back(
            {each.path,
             "FieldValueForbidden",
             "",
             "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 "
             "schema"}
        );
    }
    faults.push_back(
        {std::string(path),
         "FieldValueForbidden",
         "",
         print_excess(
             "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
             total_,
             kDefinitionLimit
         )}
    );
}

}  // namespace sluice::cel
