#include "workload/translation/options.hpp"

#include "config/validation.hpp"

namespace sluice::workload {
namespace {

using config::Feature;
using config::FeatureGates;

engine::Gates make_engine_gates(const FeatureGates& gates) {
    const auto on = [&](Feature feature) { return gates.is_enabled(feature); };
    return {
        .partial_admission = on(Feature::PartialAdmission),
        .flavor_fungibility = on(Feature::FlavorFungibility),
        .flavor_fungibility_preserve_scan_progress =
            on(Feature::FlavorFungibilityPreserveScanProgress),
        .priority_sorting_within_cohort = on(Feature::PrioritySortingWithinCohort),
        .fair_sharing_preempt_within_nominal = on(Feature::FairSharingPreemptWithinNominal),
        .fair_sharing_prioritize_non_borrowing = on(Feature::FairSharingPrioritizeNonBorrowing),
        .prevent_fair_sharing_loops = on(Feature::SluicePreventFairSharingLoops),
        .scheduling_equivalence_hashing = on(Feature::SchedulingEquivalenceHashing),
        .prioritize_preemptor_workloads = on(Feature::PrioritizePreemptorWorkloads),
        .recompute_assignment_upon_overlap =
            on(Feature::RecomputeAssignmentUponPreemptionTargetsOverlap),
        .preemption_gates =
            on(Feature::ConcurrentAdmission) || on(Feature::MultiKueueOrchestratedPreemption),
        .elastic_jobs = on(Feature::ElasticJobsViaWorkloadSlices),
        .reclaimable_pods = on(Feature::ReclaimablePods),
        .topology_aware_scheduling = on(Feature::TopologyAwareScheduling),
        .tas_profile_mixed = on(Feature::TASProfileMixed),
        .tas_balanced_placement = on(Feature::TASBalancedPlacement),
        .tas_respect_node_affinity_preferred = on(Feature::TASRespectNodeAffinityPreferred),
        .tas_handle_overlapping_flavors = on(Feature::TASHandleOverlappingFlavors),
        .tas_recompute_within_cycle = on(Feature::TASRecomputeAssignmentWithinSchedulingCycle),
        .tas_replacement_fail_fast = on(Feature::TASFailedNodeReplacementFailFast),
        .tas_skip_reassignment_for_pods = on(Feature::SkipReassignmentForPodOwnedWorkloads),
        .tas_elastic_jobs = on(Feature::ElasticJobsViaWorkloadSlicesWithTAS),
        .strict_node_fit = on(Feature::SluiceTASStrictNodeFit),
    };
}

TranslationGates make_translation_gates(const FeatureGates& gates) {
    const auto on = [&](Feature feature) { return gates.is_enabled(feature); };
    return {
        .admission_gated_by = on(Feature::AdmissionGatedBy),
        .priority_boost = on(Feature::PriorityBoost),
        .priority_sorting_within_cohort = on(Feature::PrioritySortingWithinCohort),
        .reclaimable_pods = on(Feature::ReclaimablePods),
        .scheduling_equivalence_hashing = on(Feature::SchedulingEquivalenceHashing),
        .skip_reassignment_for_pod_owned_workloads =
            on(Feature::SkipReassignmentForPodOwnedWorkloads),
        .tas_encode_hostname_prefixes = on(Feature::TASAssignmentsEncodingByHostnamePrefix),
        .topology_aware_scheduling = on(Feature::TopologyAwareScheduling),
        .tas_respect_node_affinity_preferred = on(Feature::TASRespectNodeAffinityPreferred),
        .reject_workloads_with_devices = on(Feature::KueueDRARejectWorkloadsWhenDRADisabled),
        .unadmitted_workloads_observability = on(Feature::UnadmittedWorkloadsObservability),
        .unadmitted_workloads_explicit_status = on(Feature::UnadmittedWorkloadsExplicitStatus),
    };
}

}  // namespace

TranslationSettings make_translation_settings(
    const config::Configuration& configuration, const FeatureGates& gates
) {
    TranslationSettings made{
        .exclude_resource_prefixes = configuration.resources.exclude_resource_prefixes,
        .transformations = {},
        .gates = make_translation_gates(gates),
    };
    for (const auto& rule : configuration.resources.transformations) {
        made.transformations[rule.input] = {
            .strategy = rule.strategy == "Replace" ? TransformationStrategy::Replace
                                                   : TransformationStrategy::Retain,
            .multiply_by = rule.multiply_by,
            .outputs = rule.outputs,
        };
    }
    if (const auto wait = config::effective_wait_for_pods_ready(configuration, gates)) {
        made.eviction_orders_queue = wait->requeuing_strategy.timestamp == "Eviction";
    }
    return made;
}

engine::Options make_engine_options(
    const config::Configuration& configuration, const FeatureGates& gates
) {
    engine::Options made{.gates = make_engine_gates(gates)};
    if (configuration.fair_sharing) {
        made.fair_sharing = true;
        made.fair_sharing_strategies.clear();
        for (const auto& strategy : configuration.fair_sharing->preemption_strategies) {
            using enum engine::FairSharingStrategy;
            made.fair_sharing_strategies.push_back(
                strategy == "LessThanInitialShare" ? LessThanInitialShare
                                                   : LessThanOrEqualToFinalShare
            );
        }
    }
    if (gates.is_enabled(Feature::QuotaCheckStrategy) &&
        configuration.resources.quota_check_strategy == "IgnoreUndeclared") {
        made.quota_check_strategy = engine::QuotaCheckStrategy::IgnoreUndeclared;
    }
    if (const auto wait = config::effective_wait_for_pods_ready(configuration, gates)) {
        made.block_admission_until_pods_ready = wait->block_admission;
    }
    if (configuration.admission_fair_sharing && gates.is_enabled(Feature::AdmissionFairSharing)) {
        const auto& sharing = *configuration.admission_fair_sharing;
        made.admission_fair_sharing = true;
        made.usage_half_life = sharing.usage_half_life_time;
        made.usage_sampling_interval = sharing.usage_sampling_interval;
        made.resource_weights = sharing.resource_weights;
    }
    return made;
}

}  // namespace sluice::workload
