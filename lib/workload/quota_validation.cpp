#include "api/label_selector.hpp"
#include "workload/quotas.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>

namespace sluice::workload {
namespace {

constexpr std::string_view kNegative = "must be greater than or equal to 0";

/// What differs between the groups of a ClusterQueue and of a Cohort.
struct GroupRules {
    bool has_parent = false;
    std::string_view parent_word;  ///< "cohort" or "parent"
    bool lending_within_nominal = false;
};

FieldProblem invalid(std::string field, std::string_view value, std::string_view why) {
    return {std::move(field), fmt::format("Invalid value: \"{}\": {}", value, why)};
}

FieldProblem duplicate(std::string field, std::string_view value) {
    return {std::move(field), fmt::format("Duplicate value: \"{}\"", value)};
}

std::optional<FieldProblem> find_limit_problem(
    const std::optional<api::Quantity>& limit, const std::string& field, const GroupRules& rules
) {
    if (!limit) {
        return std::nullopt;
    }
    if (limit->sign() < 0) {
        return invalid(field, limit->to_string(), kNegative);
    }
    if (!rules.has_parent) {
        return invalid(
            field,
            limit->to_string(),
            fmt::format("must be nil when {} is empty", rules.parent_word)
        );
    }
    return std::nullopt;
}

std::optional<FieldProblem> find_quota_problem(
    const api::ResourceQuota& quota, const std::string& path, const GroupRules& rules
) {
    if (quota.nominal_quota.sign() < 0) {
        return invalid(path + ".nominalQuota", quota.nominal_quota.to_string(), kNegative);
    }
    if (auto problem = find_limit_problem(quota.borrowing_limit, path + ".borrowingLimit", rules)) {
        return problem;
    }
    if (auto problem = find_limit_problem(quota.lending_limit, path + ".lendingLimit", rules)) {
        return problem;
    }
    if (rules.lending_within_nominal && quota.lending_limit &&
        quota.nominal_quota < *quota.lending_limit) {
        return invalid(
            path + ".lendingLimit",
            quota.lending_limit->to_string(),
            "must be less than or equal to the nominalQuota"
        );
    }
    return std::nullopt;
}

std::optional<FieldProblem> find_flavor_problem(
    const api::FlavorQuotas& flavor,
    const api::ResourceGroup& group,
    const std::string& path,
    const GroupRules& rules
) {
    if (flavor.resources.size() != group.covered_resources.size()) {
        return invalid(
            path + ".resources",
            std::to_string(flavor.resources.size()),
            "must have one entry a covered resource"
        );
    }
    for (std::size_t i = 0; i < flavor.resources.size(); ++i) {
        const std::string at = fmt::format("{}.resources[{}]", path, i);
        if (flavor.resources[i].name != group.covered_resources[i]) {
            return invalid(
                at + ".name", flavor.resources[i].name, "must match the name in coveredResources"
            );
        }
        if (auto problem = find_quota_problem(flavor.resources[i], at, rules)) {
            return problem;
        }
    }
    return std::nullopt;
}

std::optional<FieldProblem> find_groups_problem(
    const std::vector<api::ResourceGroup>& groups, const GroupRules& rules
) {
    std::set<std::string_view> resources;
    std::set<std::string_view> flavors;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const std::string path = fmt::format("spec.resourceGroups[{}]", g);
        for (std::size_t i = 0; i < groups[g].covered_resources.size(); ++i) {
            if (!resources.insert(groups[g].covered_resources[i]).second) {
                return duplicate(
                    fmt::format("{}.coveredResources[{}]", path, i), groups[g].covered_resources[i]
                );
            }
        }
        for (std::size_t i = 0; i < groups[g].flavors.size(); ++i) {
            const std::string at = fmt::format("{}.flavors[{}]", path, i);
            const auto& flavor = groups[g].flavors[i];
            if (auto problem = find_flavor_problem(flavor, groups[g], at, rules)) {
                return problem;
            }
            if (!flavors.insert(flavor.name).second) {
                return duplicate(at + ".name", flavor.name);
            }
        }
    }
    return std::nullopt;
}

std::optional<FieldProblem> find_weight_problem(const std::optional<api::FairSharing>& fair_sharing
) {
    if (!fair_sharing || !fair_sharing->weight) {
        return std::nullopt;
    }
    constexpr double kTooSmall = 1e-9;
    const api::Quantity& weight = *fair_sharing->weight;
    if (weight.sign() < 0) {
        return invalid("spec.fairSharing.weight", weight.to_string(), kNegative);
    }
    if (weight.sign() > 0 && weight.as_double() <= kTooSmall) {
        return invalid(
            "spec.fairSharing.weight", weight.to_string(), "must be 0 or greater than 10^-9"
        );
    }
    return std::nullopt;
}

}  // namespace

std::optional<FieldProblem> find_problem(const api::ClusterQueue& queue) {
    const auto& spec = queue.spec;
    const GroupRules rules{
        .has_parent = !spec.cohort_name.empty(),
        .parent_word = "cohort",
        .lending_within_nominal = true
    };
    if (auto problem = find_groups_problem(spec.resource_groups, rules)) {
        return problem;
    }
    if (spec.namespace_selector) {
        if (const auto selector = api::Selector::make(*spec.namespace_selector); !selector) {
            return FieldProblem{"spec.namespaceSelector", selector.error().detail};
        }
    }
    const auto& preemption = spec.preemption;
    if (preemption.reclaim_within_cohort == "Never" && preemption.borrow_within_cohort &&
        preemption.borrow_within_cohort->policy != "Never") {
        return invalid(
            "spec.preemption.borrowWithinCohort.policy",
            preemption.borrow_within_cohort->policy,
            "must be Never when reclaimWithinCohort is Never"
        );
    }
    return find_weight_problem(spec.fair_sharing);
}

std::optional<FieldProblem> find_problem(const api::Cohort& cohort) {
    const GroupRules rules{
        .has_parent = !cohort.spec.parent_name.empty(),
        .parent_word = "parent",
        .lending_within_nominal = false
    };
    if (auto problem = find_groups_problem(cohort.spec.resource_groups, rules)) {
        return problem;
    }
    return find_weight_problem(cohort.spec.fair_sharing);
}

}  // namespace sluice::workload
