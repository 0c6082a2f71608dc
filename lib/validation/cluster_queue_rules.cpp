#include "validation/cluster_queue_rules.hpp"

#include "api/meta/codec.hpp"
#include "validation/metadata_rules.hpp"
#include "validation/quota_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::validation {

namespace {

using Names = std::set<std::string>;

constexpr std::size_t kFlavorsMax = 256;
constexpr std::size_t kResourcesMax = 256;
constexpr std::size_t kCombinationsMax = 512;
constexpr std::size_t kConcurrentFlavorsMax = 16;
constexpr std::string_view kNever = "Never";
constexpr std::string_view kTryNextFlavor = "TryNextFlavor";
constexpr std::string_view kTryPreferredFlavors = "TryPreferredFlavors";

std::int64_t number(std::size_t count) {
    return static_cast<std::int64_t>(count);
}

Names flavors_of(const api::ClusterQueueSpec& spec) {
    Names names;
    for (const auto& group : spec.resource_groups) {
        for (const auto& flavor : group.flavors) {
            names.insert(flavor.name);
        }
    }
    return names;
}

void check_sizes(api::FieldErrors& out, const std::vector<api::ResourceGroup>& groups) {
    const std::string path = "spec.resourceGroups";
    std::size_t flavors = 0;
    std::size_t resources = 0;
    for (const auto& group : groups) {
        flavors += group.flavors.size();
        resources += group.covered_resources.size();
    }
    if (flavors > kFlavorsMax) {
        out.push_back(api::FieldError::invalid(
            path,
            number(flavors),
            fmt::format(
                "total number of flavors across all resourceGroups must be ≤ {}, got {}",
                kFlavorsMax,
                flavors
            )
        ));
    }
    if (resources > kResourcesMax) {
        out.push_back(api::FieldError::invalid(
            path,
            number(resources),
            fmt::format(
                "total number of covered resources across all resourceGroups must be ≤ {}, got {}",
                kResourcesMax,
                resources
            )
        ));
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
        std::size_t combinations = 0;
        for (const auto& flavor : groups[g].flavors) {
            combinations += flavor.resources.size();
        }
        if (combinations > kCombinationsMax) {
            out.push_back(api::FieldError::invalid(
                fmt::format("{}[{}]", path, g),
                number(combinations),
                fmt::format(
                    "number of flavor-resource combinations in a resourceGroup must be ≤ {}, got "
                    "{}",
                    kCombinationsMax,
                    combinations
                )
            ));
        }
    }
}

void check_policies(api::FieldErrors& out, const api::ClusterQueueSpec& spec) {
    const auto& preemption = spec.preemption;
    if (preemption.reclaim_within_cohort == kNever && preemption.borrow_within_cohort &&
        preemption.borrow_within_cohort->policy != kNever) {
        out.push_back(api::FieldError::invalid(
            "spec.preemption",
            api::to_value(preemption),
            "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"
        ));
    }
    const auto& fungibility = spec.flavor_fungibility;
    if (!fungibility.preference.empty() && (fungibility.when_can_borrow != kTryNextFlavor ||
                                            fungibility.when_can_preempt != kTryNextFlavor)) {
        out.push_back(api::FieldError::invalid(
            "spec.flavorFungibility.preference",
            fungibility.preference,
            fmt::format(
                "preference \"{}\" requires both whenCanBorrow and whenCanPreempt to be "
                "TryNextFlavor",
                fungibility.preference
            )
        ));
    }
}

void check_migration(api::FieldErrors& out, const api::ClusterQueueSpec& spec) {
    if (!spec.concurrent_admission_policy) {
        return;
    }
    const auto& migration = spec.concurrent_admission_policy->migration;
    if (!migration.constraints) {
        return;
    }
    const std::string path = "spec.concurrentAdmissionPolicy.migration.constraints";
    if (!migration.mode.empty() && migration.mode != kTryPreferredFlavors) {
        out.push_back(api::FieldError::forbidden(
            path,
            fmt::format(
                "may only be set when migration.mode is \"{}\" (got \"{}\")",
                kTryPreferredFlavors,
                migration.mode
            )
        ));
        return;
    }
    const std::string& last = migration.constraints->last_acceptable_flavor_name;
    const Names flavors = flavors_of(spec);
    if (!last.empty() && !flavors.contains(last)) {
        out.push_back(api::FieldError::invalid(
            path + ".lastAcceptableFlavorName",
            last,
            fmt::format(
                "must be one of the flavors defined in the ClusterQueue: [{}]",
                fmt::join(flavors, " ")
            )
        ));
    }
}

void check_concurrent_admission(api::FieldErrors& out, const api::ClusterQueueSpec& spec) {
    if (!spec.concurrent_admission_policy) {
        return;
    }
    const auto& groups = spec.resource_groups;
    if (groups.size() != 1) {
        out.push_back(api::FieldError::invalid(
            "spec.resourceGroups",
            number(groups.size()),
            "must have exactly one ResourceGroup when ConcurrentAdmissionPolicy is defined"
        ));
    } else if (groups.front().flavors.size() > kConcurrentFlavorsMax) {
        out.push_back(api::FieldError::invalid(
            "spec.resourceGroups[0].flavors",
            number(groups.front().flavors.size()),
            fmt::format(
                "cannot have more than {} resource flavors in the ResourceGroup when "
                "ConcurrentAdmissionPolicy is defined",
                kConcurrentFlavorsMax
            )
        ));
    }
    check_migration(out, spec);
    if (spec.queueing_strategy == "StrictFIFO") {
        out.push_back(api::FieldError::invalid(
            "spec.queueingStrategy",
            spec.queueing_strategy,
            "StrictFIFO queueing strategy cannot be used when ConcurrentAdmissionPolicy is defined"
        ));
    }
}

api::FieldErrors validate_spec(const api::ClusterQueue& queue, const config::FeatureGates& gates) {
    const auto& spec = queue.spec;
    // In Kueue's order, in which several errors are reported.
    api::FieldErrors errors = validate_resource_groups(queue);
    if (spec.namespace_selector) {
        append(errors, validate_label_selector(*spec.namespace_selector, "spec.namespaceSelector"));
    }
    check_policies(errors, spec);
    append(errors, validate_fair_sharing(spec.fair_sharing));
    check_sizes(errors, spec.resource_groups);
    if (gates.is_enabled(config::Feature::ConcurrentAdmission)) {
        check_concurrent_admission(errors, spec);
    }
    return errors;
}

/// Returns true if the check names the same flavors as before and the queue had the same flavors.
bool is_as_before(
    const api::AdmissionCheckStrategyRule& check, const api::ClusterQueueSpec* before
) {
    if (before == nullptr || !before->admission_checks_strategy) {
        return false;
    }
    const auto& checks = before->admission_checks_strategy->admission_checks;
    const auto old = std::ranges::find(checks, check.name, &api::AdmissionCheckStrategyRule::name);
    return old != checks.end() && Names(old->on_flavors.begin(), old->on_flavors.end()) ==
                                      Names(check.on_flavors.begin(), check.on_flavors.end());
}

/// Checks that admission checks name only flavors that the queue has.
api::FieldErrors validate_on_flavors(
    const api::ClusterQueueSpec& spec, const api::ClusterQueueSpec* before
) {
    if (!spec.admission_checks_strategy) {
        return {};
    }
    const Names flavors = flavors_of(spec);
    const std::vector<std::string> supported(flavors.begin(), flavors.end());
    api::FieldErrors errors;
    const auto& checks = spec.admission_checks_strategy->admission_checks;
    for (std::size_t c = 0; c < checks.size(); ++c) {
        if (is_as_before(checks[c], before)) {
            continue;
        }
        for (std::size_t i = 0; i < checks[c].on_flavors.size(); ++i) {
            const std::string& flavor = checks[c].on_flavors[i];
            if (!flavors.contains(flavor)) {
                errors.push_back(api::FieldError::not_supported(
                    fmt::format(
                        "spec.admissionChecksStrategy.admissionChecks[{}].onFlavors[{}]", c, i
                    ),
                    flavor,
                    supported
                ));
            }
        }
    }
    return errors;
}

}  // namespace

api::FieldErrors validate(const api::ClusterQueue& queue, const config::FeatureGates& gates) {
    api::FieldErrors errors = validate_spec(queue, gates);
    append(errors, validate_on_flavors(queue.spec, nullptr));
    return errors;
}

api::FieldErrors validate_update(
    const api::ClusterQueue& before,
    const api::ClusterQueue& after,
    const config::FeatureGates& gates
) {
    api::FieldErrors errors = validate_spec(after, gates);
    const bool may_stay =
        !gates.is_enabled(config::Feature::RejectUpdatesToCQWithInvalidOnFlavors) &&
        flavors_of(before.spec) == flavors_of(after.spec);
    append(errors, validate_on_flavors(after.spec, may_stay ? &before.spec : nullptr));
    const auto& policy = after.spec.concurrent_admission_policy;
    if (policy != before.spec.concurrent_admission_policy) {
        errors.push_back(api::FieldError::immutable(
            "spec.concurrentAdmissionPolicy", policy ? api::to_value(*policy) : json::Value()
        ));
    }
    return errors;
}

}  // namespace sluice::validation
