#include "insight/constraint_words.hpp"

#include "api/meta/quantity.hpp"
#include "workload/explanation/explanation_words.hpp"

#include <fmt/format.h>

#include <string_view>

namespace sluice::insight {
namespace {

/// Returns "cohort/org" as "cohort org".
std::string print_node(std::string_view node) {
    const std::string_view name = node.substr(node.find('/') + 1);
    return fmt::format("{} {}", node.starts_with("cohort/") ? "cohort" : "ClusterQueue", name);
}

std::string amounts_of(const workload::Constraint& constraint) {
    const std::string node = print_node(constraint.node);
    if (constraint.kind == "priority") {
        const std::size_t holders = constraint.holders.size();
        return fmt::format(
            "{} {} would be evicted if {} priority were lower",
            holders,
            holders == 1 ? "holder" : "holders",
            holders == 1 ? "its" : "their"
        );
    }
    if (constraint.remedies.empty()) {
        return fmt::format(
            "needs {}, and {} can never give more than {}",
            constraint.needed,
            constraint.kind == "borrowingLimit" ? "the borrowingLimit of " + node
            : constraint.kind == "lendingLimit" ? "the lendingLimit of " + node
                                                : node,
            constraint.limit
        );
    }
    const std::string missing = shortage_of(constraint);
    if (constraint.kind == "borrowingLimit") {
        return fmt::format("{} short by the borrowingLimit of {}", missing, node);
    }
    if (constraint.kind == "lendingLimit") {
        return fmt::format("{} short, which the lendingLimit of {} keeps back", missing, node);
    }
    return fmt::format("{} short in {}", missing, node);
}

}  // namespace

std::string shortage_of(const workload::Constraint& constraint) {
    const auto needed = api::Quantity::parse(constraint.needed);
    const auto free = api::Quantity::parse(constraint.free);
    return needed && free ? (*needed - *free).to_string() : "";
}

std::string print_taint(const api::Taint& taint) {
    return fmt::format(
        "{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value, taint.effect
    );
}

std::string short_words(const workload::Constraint& constraint, const std::string& taint) {
    if (constraint.kind == "capacity" || constraint.kind == "topology") {
        return constraint.needed.empty()
                   ? "its nodes have no topology that the pods ask for"
                   : fmt::format(
                         "its nodes have room for {} of {}", constraint.free, constraint.needed
                     );
    }
    if (!constraint.limit.empty()) {
        return amounts_of(constraint);
    }
    if (constraint.kind == "taint" && !taint.empty()) {
        return fmt::format("taint {} is not tolerated", taint);
    }
    if (constraint.kind == "taint") {
        return "a taint is not tolerated";
    }
    if (constraint.kind == "affinity") {
        return "node selector or affinity excludes it";
    }
    if (constraint.kind == "namespace") {
        return fmt::format(
            "the namespaceSelector of {} does not match", print_node(constraint.node)
        );
    }
    return workload::constraint_words(constraint);
}

}  // namespace sluice::insight
