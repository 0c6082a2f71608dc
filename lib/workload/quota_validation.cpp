#include "api/label_selector.hpp"
#include "api/names.hpp"
#include "workload/quotas.hpp"
#include "workload/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

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

std::optional<FieldProblem> find_name_problem(const std::vector<api::ResourceGroup>& groups) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
        for (std::size_t i = 0; i < groups[g].covered_resources.size(); ++i) {
            const std::string& name = groups[g].covered_resources[i];
            if (const auto problem = api::check_qualified_name(name)) {
                const auto field =
                    fmt::format("spec.resourceGroups[{}].coveredResources[{}]", g, i);
                return invalid(field, name, *problem);
            }
        }
    }
    return std::nullopt;
}

FieldProblem too_many(std::string field, std::size_t count, std::size_t limit, const char* what) {
    return invalid(
        std::move(field),
        std::to_string(count),
        fmt::format("must not have more than {} {}", limit, what)
    );
}

std::optional<FieldProblem> find_total_problem(const std::vector<api::ResourceGroup>& groups) {
    constexpr std::size_t kFlavorsMax = 256;
    constexpr std::size_t kResourcesMax = 256;
    constexpr std::size_t kCombinationsMax = 512;
    std::size_t flavors = 0;
    std::size_t resources = 0;
    for (const auto& group : groups) {
        flavors += group.flavors.size();
        resources += group.covered_resources.size();
    }
    if (flavors > kFlavorsMax) {
        return too_many("spec.resourceGroups", flavors, kFlavorsMax, "flavors in all");
    }
    if (resources > kResourcesMax) {
        return too_many(
            "spec.resourceGroups", resources, kResourcesMax, "covered resources in all"
        );
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
        std::size_t combinations = 0;
        for (const auto& flavor : groups[g].flavors) {
            combinations += flavor.resources.size();
        }
        if (combinations > kCombinationsMax) {
            return too_many(
                fmt::format("spec.resourceGroups[{}]", g),
                combinations,
                kCombinationsMax,
                "combinations of a flavor and a resource"
            );
        }
    }
    return std::nullopt;
}

/// Checks may only be bound to flavors that the queue has.
std::optional<FieldProblem> find_check_problem(const api::ClusterQueue& queue) {
    if (!queue.spec.admission_checks_strategy) {
        return std::nullopt;
    }
    const auto names = flavor_names(queue);
    const auto& checks = queue.spec.admission_checks_strategy->admission_checks;
    for (std::size_t c = 0; c < checks.size(); ++c) {
        for (std::size_t i = 0; i < checks[c].on_flavors.size(); ++i) {
            const std::string& flavor = checks[c].on_flavors[i];
            if (std::ranges::find(names, flavor) == names.end()) {
                return FieldProblem{
                    fmt::format(
                        "spec.admissionChecksStrategy.admissionChecks[{}].onFlavors[{}]", c, i
                    ),
                    fmt::format(
                        "Unsupported value: \"{}\": supported values: \"{}\"",
                        flavor,
                        fmt::join(names, "\", \"")
                    )
                };
            }
        }
    }
    return std::nullopt;
}

std::optional<FieldProblem> find_policy_problem(const api::ClusterQueueSpec& spec) {
    const auto& preemption = spec.preemption;
    if (preemption.reclaim_within_cohort == "Never" && preemption.borrow_within_cohort &&
        preemption.borrow_within_cohort->policy != "Never") {
        return invalid(
            "spec.preemption.borrowWithinCohort.policy",
            preemption.borrow_within_cohort->policy,
            "must be Never when reclaimWithinCohort is Never"
        );
    }
    const auto& fungibility = spec.flavor_fungibility;
    if (!fungibility.preference.empty() && (fungibility.when_can_borrow != "TryNextFlavor" ||
                                            fungibility.when_can_preempt != "TryNextFlavor")) {
        return invalid(
            "spec.flavorFungibility.preference",
            fungibility.preference,
            "requires both whenCanBorrow and whenCanPreempt to be TryNextFlavor"
        );
    }
    return std::nullopt;
}

std::optional<FieldProblem> find_taint_problem(const std::vector<api::Taint>& taints) {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (std::size_t i = 0; i < taints.size(); ++i) {
        const api::Taint& taint = taints[i];
        const auto path = fmt::format("spec.nodeTaints[{}]", i);
        if (const auto problem = api::check_qualified_name(taint.key)) {
            return invalid(path + ".key", taint.key, *problem);
        }
        if (const auto problem = api::check_label_value(taint.value)) {
            return invalid(path + ".value", taint.value, *problem);
        }
        if (!seen.emplace(taint.key, taint.effect).second) {
            return duplicate(path, fmt::format("{}:{}", taint.key, taint.effect));
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<FieldProblem> find_quota_problem(const api::ClusterQueue& queue) {
    const auto& spec = queue.spec;
    const GroupRules rules{
        .has_parent = !spec.cohort_name.empty(),
        .parent_word = "cohort",
        .lending_within_nominal = true
    };
    if (auto problem = find_groups_problem(spec.resource_groups, rules)) {
        return problem;
    }
    return find_weight_problem(spec.fair_sharing);
}

std::optional<FieldProblem> find_problem(const api::ClusterQueue& queue) {
    const auto& spec = queue.spec;
    if (auto problem = find_quota_problem(queue)) {
        return problem;
    }
    if (auto problem = find_name_problem(spec.resource_groups)) {
        return problem;
    }
    if (auto problem = find_total_problem(spec.resource_groups)) {
        return problem;
    }
    if (spec.namespace_selector) {
        if (const auto selector = api::Selector::make(*spec.namespace_selector); !selector) {
            return FieldProblem{"spec.namespaceSelector", selector.error().detail};
        }
    }
    if (auto problem = find_policy_problem(spec)) {
        return problem;
    }
    return find_check_problem(queue);
}

std::optional<FieldProblem> find_quota_problem(const api::Cohort& cohort) {
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

std::optional<FieldProblem> find_problem(const api::Cohort& cohort) {
    if (auto problem = find_quota_problem(cohort)) {
        return problem;
    }
    return find_name_problem(cohort.spec.resource_groups);
}

std::optional<FieldProblem> find_problem(const api::ResourceFlavor& flavor) {
    for (const auto& [key, value] : flavor.spec.node_labels) {
        if (const auto problem = api::check_qualified_name(key)) {
            return invalid("spec.nodeLabels", key, *problem);
        }
        if (const auto problem = api::check_label_value(value)) {
            return invalid(fmt::format("spec.nodeLabels[{}]", key), value, *problem);
        }
    }
    if (auto problem = find_taint_problem(flavor.spec.node_taints)) {
        return problem;
    }
    for (std::size_t i = 0; i < flavor.spec.tolerations.size(); ++i) {
        const std::string& key = flavor.spec.tolerations[i].key;
        const auto problem = key.empty() ? std::nullopt : api::check_qualified_name(key);
        if (problem) {
            return invalid(fmt::format("spec.tolerations[{}].key", i), key, *problem);
        }
    }
    return std::nullopt;
}

}  // namespace sluice::workload
