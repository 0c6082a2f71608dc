#include "validation/quota_rules.hpp"

#include "validation/metadata_rules.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

namespace sluice::validation {

namespace {

constexpr std::string_view kNegative = "must be greater than or equal to 0";

/// The differences between the resource groups of a ClusterQueue and of a Cohort.
struct GroupRules {
    bool has_parent = false;
    std::string_view parent_word;  ///< "cohort" or "parent"
    bool lending_within_nominal = false;
    bool names = true;  ///< also checks the names of resources
};

void check_not_negative(
    api::FieldErrors& out, const api::Quantity& quantity, const std::string& path
) {
    if (quantity.sign() < 0) {
        out.push_back(api::FieldError::invalid(path, quantity.to_string(), kNegative));
    }
}

void check_parent(
    api::FieldErrors& out,
    const api::Quantity& limit,
    const std::string& path,
    const GroupRules& rules
) {
    if (!rules.has_parent) {
        out.push_back(api::FieldError::invalid(
            path, limit.to_string(), fmt::format("must be nil when {} is empty", rules.parent_word)
        ));
    }
}

void check_quota(
    api::FieldErrors& out,
    const api::ResourceQuota& quota,
    const std::string& path,
    const GroupRules& rules
) {
    check_not_negative(out, quota.nominal_quota, path + ".nominalQuota");
    if (quota.borrowing_limit) {
        check_parent(out, *quota.borrowing_limit, path + ".borrowingLimit", rules);
        check_not_negative(out, *quota.borrowing_limit, path + ".borrowingLimit");
    }
    if (quota.lending_limit) {
        check_not_negative(out, *quota.lending_limit, path + ".lendingLimit");
        check_parent(out, *quota.lending_limit, path + ".lendingLimit", rules);
        if (rules.lending_within_nominal && quota.nominal_quota < *quota.lending_limit) {
            out.push_back(api::FieldError::invalid(
                path + ".lendingLimit",
                quota.lending_limit->to_string(),
                "must be less than or equal to the nominalQuota"
            ));
        }
    }
}

void check_flavor(
    api::FieldErrors& out,
    const api::FlavorQuotas& flavor,
    const api::ResourceGroup& group,
    const std::string& path,
    const GroupRules& rules
) {
    // The CRD's schema rejects it too.
    if (flavor.resources.size() != group.covered_resources.size()) {
        out.push_back(api::FieldError::invalid(
            path + ".resources",
            static_cast<std::int64_t>(flavor.resources.size()),
            "must have one entry a covered resource"
        ));
        return;
    }
    for (std::size_t i = 0; i < flavor.resources.size(); ++i) {
        const std::string at = fmt::format("{}.resources[{}]", path, i);
        if (flavor.resources[i].name != group.covered_resources[i]) {
            out.push_back(api::FieldError::invalid(
                at + ".name", flavor.resources[i].name, "must match the name in coveredResources"
            ));
        }
        check_quota(out, flavor.resources[i], at, rules);
    }
}

api::FieldErrors validate_groups(
    const std::vector<api::ResourceGroup>& groups, const GroupRules& rules
) {
    api::FieldErrors errors;
    std::set<std::string_view> resources;
    std::set<std::string_view> flavors;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const std::string path = fmt::format("spec.resourceGroups[{}]", g);
        for (std::size_t i = 0; i < groups[g].covered_resources.size(); ++i) {
            const std::string& name = groups[g].covered_resources[i];
            const std::string at = fmt::format("{}.coveredResources[{}]", path, i);
            if (rules.names) {
                append(errors, validate_label_name(name, at));
            }
            if (!resources.insert(name).second) {
                errors.push_back(api::FieldError::duplicate(at, name));
            }
        }
        for (std::size_t i = 0; i < groups[g].flavors.size(); ++i) {
            const std::string at = fmt::format("{}.flavors[{}]", path, i);
            const api::FlavorQuotas& flavor = groups[g].flavors[i];
            check_flavor(errors, flavor, groups[g], at, rules);
            if (!flavors.insert(flavor.name).second) {
                errors.push_back(api::FieldError::duplicate(at + ".name", flavor.name));
            }
        }
    }
    return errors;
}

/// Weights between 0 and this value are too small (KEP-1714).
constexpr double kTooSmallWeight = 1e-9;

GroupRules rules_of(const api::ClusterQueue& queue) {
    return {
        .has_parent = !queue.spec.cohort_name.empty(),
        .parent_word = "cohort",
        .lending_within_nominal = true
    };
}

GroupRules rules_of(const api::Cohort& cohort) {
    return {
        .has_parent = !cohort.spec.parent_name.empty(),
        .parent_word = "parent",
        .lending_within_nominal = false
    };
}

template <class T>
api::FieldErrors validate_numbers(const T& object) {
    GroupRules rules = rules_of(object);
    rules.names = false;
    api::FieldErrors errors = validate_groups(object.spec.resource_groups, rules);
    append(errors, validate_fair_sharing(object.spec.fair_sharing));
    return errors;
}

}  // namespace

api::FieldErrors validate_fair_sharing(const std::optional<api::FairSharing>& fair_sharing) {
    if (!fair_sharing || !fair_sharing->weight) {
        return {};
    }
    const std::string path = "spec.fairSharing";
    const api::Quantity& weight = *fair_sharing->weight;
    api::FieldErrors errors;
    check_not_negative(errors, weight, path);
    if (weight.sign() > 0 && weight.as_double() <= kTooSmallWeight) {
        errors.push_back(
            api::FieldError::invalid(path, weight.to_string(), "When not 0, weight must be > 10e-9")
        );
    }
    return errors;
}

api::FieldErrors validate_quotas(const api::ClusterQueue& queue) {
    return validate_numbers(queue);
}

api::FieldErrors validate_quotas(const api::Cohort& cohort) {
    return validate_numbers(cohort);
}

api::FieldErrors validate_resource_groups(const api::ClusterQueue& queue) {
    return validate_groups(queue.spec.resource_groups, rules_of(queue));
}

api::FieldErrors validate(const api::Cohort& cohort) {
    api::FieldErrors errors = validate_fair_sharing(cohort.spec.fair_sharing);
    append(errors, validate_groups(cohort.spec.resource_groups, rules_of(cohort)));
    return errors;
}

}  // namespace sluice::validation
