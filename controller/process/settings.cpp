#include "controller/process/settings.hpp"

#include <chrono>

namespace sluice::controller {

namespace {

using config::Feature;

workload::TranslationGates make_translation_gates(const config::FeatureGates& gates) {
    return {
        .admission_gated_by = gates.is_enabled(Feature::AdmissionGatedBy),
        .priority_boost = gates.is_enabled(Feature::PriorityBoost),
        .priority_sorting_within_cohort = gates.is_enabled(Feature::PrioritySortingWithinCohort),
        .reclaimable_pods = gates.is_enabled(Feature::ReclaimablePods),
        .scheduling_equivalence_hashing = gates.is_enabled(Feature::SchedulingEquivalenceHashing),
        .topology_aware_scheduling = gates.is_enabled(Feature::TopologyAwareScheduling),
        .unadmitted_workloads_observability =
            gates.is_enabled(Feature::UnadmittedWorkloadsObservability),
        .unadmitted_workloads_explicit_status =
            gates.is_enabled(Feature::UnadmittedWorkloadsExplicitStatus),
    };
}

}  // namespace

Result<Settings> make_settings(
    const config::Configuration& configuration, const config::FeatureGates& gates
) {
    Settings settings;
    auto selector = api::Selector::make(configuration.managed_jobs_namespace_selector);
    if (!selector) {
        return with_context(selector.error(), "managedJobsNamespaceSelector");
    }
    settings.namespace_ = configuration.namespace_;
    settings.manage_jobs_without_queue_name = configuration.manage_jobs_without_queue_name;
    settings.managed_jobs_namespaces = std::move(*selector);
    settings.label_keys_to_copy = configuration.integrations.label_keys_to_copy;
    settings.fair_sharing = configuration.fair_sharing.has_value();
    settings.gates = make_translation_gates(gates);
    settings.partial_admission = gates.is_enabled(Feature::PartialAdmission);
    settings.assign_queue_labels_for_pods = gates.is_enabled(Feature::AssignQueueLabelsForPods);
    settings.workload_priority_class_defaulting =
        gates.is_enabled(Feature::WorkloadPriorityClassDefaulting);
    settings.finish_orphaned_workloads = gates.is_enabled(Feature::FinishOrphanedWorkloads);
    settings.short_workload_names = gates.is_enabled(Feature::ShortWorkloadNames);
    return settings;
}

workload::Settings make_translation_settings(
    const config::Configuration& configuration, const config::FeatureGates& gates
) {
    workload::Settings settings;
    settings.exclude_resource_prefixes = configuration.resources.exclude_resource_prefixes;
    for (const config::ResourceTransformation& rule : configuration.resources.transformations) {
        settings.transformations[rule.input] = {
            .strategy = rule.strategy == "Replace" ? workload::TransformationStrategy::Replace
                                                   : workload::TransformationStrategy::Retain,
            .multiply_by = rule.multiply_by,
            .outputs = rule.outputs,
        };
    }
    if (configuration.wait_for_pods_ready) {
        settings.eviction_orders_queue =
            configuration.wait_for_pods_ready->requeuing_strategy.timestamp == "Eviction";
    }
    settings.gates = make_translation_gates(gates);
    return settings;
}

engine::Options make_engine_options(
    const config::Configuration& configuration, const config::FeatureGates& gates
) {
    engine::Options options;
    engine::Gates& g = options.gates;
    g.flavor_fungibility = gates.is_enabled(Feature::FlavorFungibility);
    g.flavor_fungibility_preserve_scan_progress =
        gates.is_enabled(Feature::FlavorFungibilityPreserveScanProgress);
    g.priority_sorting_within_cohort = gates.is_enabled(Feature::PrioritySortingWithinCohort);
    g.fair_sharing_preempt_within_nominal =
        gates.is_enabled(Feature::FairSharingPreemptWithinNominal);
    g.fair_sharing_prioritize_non_borrowing =
        gates.is_enabled(Feature::FairSharingPrioritizeNonBorrowing);
    g.scheduling_equivalence_hashing = gates.is_enabled(Feature::SchedulingEquivalenceHashing);
    g.prioritize_preemptor_workloads = gates.is_enabled(Feature::PrioritizePreemptorWorkloads);
    g.recompute_assignment_upon_overlap =
        gates.is_enabled(Feature::RecomputeAssignmentUponPreemptionTargetsOverlap);
    g.preemption_gates = gates.is_enabled(Feature::ConcurrentAdmission) ||
                         gates.is_enabled(Feature::MultiKueueOrchestratedPreemption);
    g.elastic_jobs = gates.is_enabled(Feature::ElasticJobsViaWorkloadSlices);
    g.reclaimable_pods = gates.is_enabled(Feature::ReclaimablePods);
    g.topology_aware_scheduling = gates.is_enabled(Feature::TopologyAwareScheduling);
    options.fair_sharing = configuration.fair_sharing.has_value();
    if (options.fair_sharing) {
        options.fair_sharing_strategies.clear();
        for (const std::string& strategy : configuration.fair_sharing->preemption_strategies) {
            options.fair_sharing_strategies.push_back(
                strategy == "LessThanInitialShare"
                    ? engine::FairSharingStrategy::LessThanInitialShare
                    : engine::FairSharingStrategy::LessThanOrEqualToFinalShare
            );
        }
    }
    if (configuration.resources.quota_check_strategy == "IgnoreUndeclared") {
        options.quota_check_strategy = engine::QuotaCheckStrategy::IgnoreUndeclared;
    }
    options.wake_batch = std::chrono::seconds(1);
    return options;
}

}  // namespace sluice::controller
