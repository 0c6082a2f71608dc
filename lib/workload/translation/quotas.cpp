#include "workload/translation/quotas.hpp"

#include "api/kueue/kueue_names.hpp"
#include "workload/pods/amounts.hpp"

namespace sluice::workload {
namespace {

engine::ResourceGroup to_engine_group(const api::ResourceGroup& group) {
    engine::ResourceGroup made{.covered_resources = group.covered_resources, .flavors = {}};
    for (const auto& flavor : group.flavors) {
        auto& quotas =
            made.flavors.emplace_back(engine::FlavorQuotas{.flavor = flavor.name, .quotas = {}});
        for (const auto& resource : flavor.resources) {
            const auto limit = [&](const std::optional<api::Quantity>& quantity) {
                return quantity ? std::optional(quota_amount(resource.name, *quantity))
                                : std::nullopt;
            };
            quotas.quotas.push_back(
                {.nominal = quota_amount(resource.name, resource.nominal_quota),
                 .borrowing_limit = limit(resource.borrowing_limit),
                 .lending_limit = limit(resource.lending_limit)}
            );
        }
    }
    return made;
}

std::vector<engine::ResourceGroup> to_engine_groups(const std::vector<api::ResourceGroup>& groups) {
    std::vector<engine::ResourceGroup> made;
    made.reserve(groups.size());
    for (const auto& group : groups) {
        made.push_back(to_engine_group(group));
    }
    return made;
}

engine::PreemptionPolicy to_policy(std::string_view policy) {
    using enum engine::PreemptionPolicy;
    return policy == "LowerPriority"               ? LowerPriority
           : policy == "LowerOrNewerEqualPriority" ? LowerOrNewerEqualPriority
           : policy == "Any"                       ? Any
                                                   : Never;
}

engine::Preemption to_engine_preemption(const api::ClusterQueuePreemption& preemption) {
    engine::Preemption made{
        .within_cluster_queue = to_policy(preemption.within_cluster_queue),
        .reclaim_within_cohort = to_policy(preemption.reclaim_within_cohort),
        .borrow_within_cohort = false,
        .max_priority_threshold = std::nullopt,
    };
    if (preemption.borrow_within_cohort) {
        made.borrow_within_cohort = preemption.borrow_within_cohort->policy == "LowerPriority";
        made.max_priority_threshold = preemption.borrow_within_cohort->max_priority_threshold;
    }
    return made;
}

}  // namespace

double fair_weight(const std::optional<api::FairSharing>& fair_sharing) {
    return fair_sharing && fair_sharing->weight ? fair_sharing->weight->as_double() : 1.0;
}

double local_queue_weight(const std::optional<api::FairSharing>& fair_sharing) {
    return fair_sharing && fair_sharing->weight ? fair_sharing->weight->as_approximate_double()
                                                : 1.0;
}

engine::ClusterQueue to_engine(const api::ClusterQueue& queue, bool accepts_workloads) {
    const auto& spec = queue.spec;
    const bool is_sound = !find_quota_problem(queue);
    const auto to_fungibility = [](std::string_view policy) {
        using enum engine::FungibilityPolicy;
        return policy == "TryNextFlavor" ? TryNextFlavor : MayStopSearch;
    };
    const bool borrow_last = spec.flavor_fungibility.preference == "PreemptionOverBorrowing";
    return {
        .name = queue.metadata.name,
        .cohort = spec.cohort_name,
        .resource_groups = is_sound ? to_engine_groups(spec.resource_groups)
                                    : std::vector<engine::ResourceGroup>{},
        .strategy = spec.queueing_strategy == "StrictFIFO"
                        ? engine::QueueingStrategy::StrictFIFO
                        : engine::QueueingStrategy::BestEffortFIFO,
        .when_can_borrow = to_fungibility(spec.flavor_fungibility.when_can_borrow),
        .when_can_preempt = to_fungibility(spec.flavor_fungibility.when_can_preempt),
        .preference = borrow_last ? engine::FungibilityPreference::PreemptionOverBorrowing
                                  : engine::FungibilityPreference::BorrowingOverPreemption,
        .preemption = to_engine_preemption(spec.preemption),
        .fair_weight = is_sound ? fair_weight(spec.fair_sharing) : 1.0,
        .accepts_workloads = accepts_workloads && !find_problem(queue),
        .admission_fair_sharing = spec.admission_scope && spec.admission_scope->admission_mode ==
                                                              "UsageBasedAdmissionFairSharing",
        .generation = queue.metadata.generation,
    };
}

engine::Cohort to_engine(const api::Cohort& cohort) {
    engine::Cohort made{
        .name = cohort.metadata.name, .parent = cohort.spec.parent_name, .resource_groups = {}
    };
    if (!find_quota_problem(cohort)) {
        made.resource_groups = to_engine_groups(cohort.spec.resource_groups);
        made.fair_weight = fair_weight(cohort.spec.fair_sharing);
    }
    return made;
}

engine::LocalQueue to_engine(const api::LocalQueue& queue, engine::NamespaceMatch namespace_match) {
    engine::LocalQueue made{
        .ns = queue.metadata.namespace_,
        .name = queue.metadata.name,
        .cluster_queue = queue.spec.cluster_queue,
        .stopped = queue.spec.stop_policy != api::stop_policy::kNone,
        .namespace_match = namespace_match,
        .fair_weight = local_queue_weight(queue.spec.fair_sharing),
        .consumed = {},
    };
    const auto& sharing = queue.status.fair_sharing;
    if (sharing && sharing->admission_fair_sharing_status) {
        for (const auto& [resource, amount] :
             sharing->admission_fair_sharing_status->consumed_resources) {
            made.consumed[resource] = amount.billionths();
        }
    }
    return made;
}

}  // namespace sluice::workload
