// Feature gates and settings that change decisions.
#pragma once

#include "engine/types/time.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace sluice::engine {

/// Rules that choose victims under fair sharing (Configuration.fairSharing.preemptionStrategies).
enum class FairSharingStrategy : std::uint8_t { LessThanOrEqualToFinalShare, LessThanInitialShare };

/// The treatment of a request for a resource that the ClusterQueue does not cover: the workload is
/// never admitted, or the request is ignored.
enum class QuotaCheckStrategy : std::uint8_t { BlockUndeclared, IgnoreUndeclared };

/// The feature gates that change a decision: Kueue's, with Kueue's defaults
/// (pkg/features/kube_features.go), and Sluice's own.
struct Gates {
    bool partial_admission = true;
    bool flavor_fungibility = true;
    bool flavor_fungibility_preserve_scan_progress = true;
    bool priority_sorting_within_cohort = true;
    bool fair_sharing_preempt_within_nominal = true;
    bool fair_sharing_prioritize_non_borrowing = true;
    bool prevent_fair_sharing_loops = false;  ///< SluicePreventFairSharingLoops
    bool scheduling_equivalence_hashing = true;
    bool prioritize_preemptor_workloads = false;
    bool recompute_assignment_upon_overlap = true;
    bool preemption_gates = false;  ///< ConcurrentAdmission or MultiKueueOrchestratedPreemption
    bool elastic_jobs = true;
    bool reclaimable_pods = true;
    bool topology_aware_scheduling = true;
    bool tas_profile_mixed = true;
    bool tas_balanced_placement = false;
    bool tas_respect_node_affinity_preferred = false;
    bool tas_handle_overlapping_flavors = true;
    bool tas_recompute_within_cycle = true;
    bool tas_replacement_fail_fast = true;
    bool tas_skip_reassignment_for_pods = true;  ///< SkipReassignmentForPodOwnedWorkloads
    bool tas_elastic_jobs = false;               ///< ElasticJobsViaWorkloadSlicesWithTAS
    bool strict_node_fit = false;                ///< SluiceTASStrictNodeFit

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &Gates::partial_admission,
            &Gates::flavor_fungibility,
            &Gates::flavor_fungibility_preserve_scan_progress,
            &Gates::priority_sorting_within_cohort,
            &Gates::fair_sharing_preempt_within_nominal,
            &Gates::fair_sharing_prioritize_non_borrowing,
            &Gates::prevent_fair_sharing_loops,
            &Gates::scheduling_equivalence_hashing,
            &Gates::prioritize_preemptor_workloads,
            &Gates::recompute_assignment_upon_overlap,
            &Gates::preemption_gates,
            &Gates::elastic_jobs,
            &Gates::reclaimable_pods,
            &Gates::topology_aware_scheduling,
            &Gates::tas_profile_mixed,
            &Gates::tas_balanced_placement,
            &Gates::tas_respect_node_affinity_preferred,
            &Gates::tas_handle_overlapping_flavors,
            &Gates::tas_recompute_within_cycle,
            &Gates::tas_replacement_fail_fast,
            &Gates::tas_skip_reassignment_for_pods,
            &Gates::tas_elastic_jobs,
            &Gates::strict_node_fit
        );
    }
};

/// Settings of Configuration that decisions depend on. They are fixed for the life of a State.
struct Options {
    Gates gates;
    bool fair_sharing = false;  ///< Configuration.fairSharing is present
    std::vector<FairSharingStrategy> fair_sharing_strategies = {
        FairSharingStrategy::LessThanOrEqualToFinalShare, FairSharingStrategy::LessThanInitialShare
    };
    QuotaCheckStrategy quota_check_strategy = QuotaCheckStrategy::BlockUndeclared;
    bool block_admission_until_pods_ready = false;  ///< waitForPodsReady.blockAdmission
    bool admission_fair_sharing = false;  ///< Configuration.admissionFairSharing is present
    Duration usage_half_life{};
    Duration usage_sampling_interval{};
    std::map<std::string, double> resource_weights;
    /// How long the first second pass of a workload waits; each further one waits twice as long, up
    /// to 30 times. 0: not at all.
    Duration second_pass_delay{};
    Duration wake_batch{};  ///< how long wake-ups of a tree are batched; 0: not at all
    /// Seed of hash tables; it changes no decision. If untrusted users choose names, it must be a
    /// number that they cannot guess.
    std::uint64_t hash_seed = 0;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &Options::gates,
            &Options::fair_sharing,
            &Options::fair_sharing_strategies,
            &Options::quota_check_strategy,
            &Options::block_admission_until_pods_ready,
            &Options::admission_fair_sharing,
            &Options::usage_half_life,
            &Options::usage_sampling_interval,
            &Options::resource_weights,
            &Options::second_pass_delay,
            &Options::wake_batch,
            &Options::hash_seed
        );
    }
};

}  // namespace sluice::engine
